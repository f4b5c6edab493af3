/** Ends the tokens of a client. */
export abstract class ClientTokens {
  abstract end(clientId: string): Promise<void>;
}
