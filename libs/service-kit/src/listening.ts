/** A start that cannot succeed, with the one sentence that says why. */
export class StartRefused extends Error {}

/** Runs `listen` and turns what may go wrong into a sentence that names the variable to change. */
export async function listening<T>(
  variable: string,
  port: number,
  listen: () => Promise<T>,
): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const host = variable.replace('PORT', 'HOST');
    const sentences: Record<string, string> = {
      EADDRINUSE: `Port ${port} is in use; set ${variable} to another one or stop what listens there.`,
      EACCES: `Port ${port} may not be opened by this user; set ${variable} to one above 1023.`,
      EADDRNOTAVAIL: `The address to listen on does not exist on this machine; set ${host} to one that does.`,
      ENOTFOUND: `The name to listen on cannot be resolved; set ${host} to an address.`,
    };
    const sentence = sentences[code ?? ''];
    throw sentence ? new StartRefused(sentence) : error;
  }
}
