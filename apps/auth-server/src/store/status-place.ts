/** Where a JWT access token's status is published. */
export interface StatusPlace {
  readonly listId: string;
  readonly position: number;
}
