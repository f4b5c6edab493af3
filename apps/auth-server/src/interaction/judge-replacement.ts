import { judgeNewPassword, type PasswordOwner } from '../accounts/new-password.ts';

/** What is wrong with a password that is to take the place of another one; undefined when nothing is. */
export function judgeReplacement(
  password: string,
  before: string,
  owner: PasswordOwner,
): string | undefined {
  if (password !== '' && password === before) return 'Choose another password than the old one';
  return judgeNewPassword(password, owner);
}
