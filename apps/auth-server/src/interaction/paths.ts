/** Paths of the pages, below the path of the issuer. */
export interface InteractionPaths {
  readonly home: string;
  readonly signIn: string;
  readonly register: string;
  readonly newPassword: string;
  readonly account: string;
  readonly consent: string;
  readonly deny: string;
}

export function interactionPaths(mount: string, uid: string): InteractionPaths {
  const home = `${mount}/interaction/${uid}`;
  return {
    home,
    signIn: `${home}/sign-in`,
    register: `${home}/register`,
    newPassword: `${home}/new-password`,
    account: `${home}/account`,
    consent: `${home}/consent`,
    deny: `${home}/deny`,
  };
}

export function accountPaths(mount: string) {
  const home = `${mount}/account`;
  return {
    home,
    signIn: `${home}/sign-in`,
    register: `${home}/register`,
    newPassword: `${home}/new-password`,
    profile: `${home}/profile`,
    password: `${home}/password`,
    remove: `${home}/delete`,
    removed: `${home}/deleted`,
    signOut: `${mount}/logout`,
  };
}
