/**
 * A memory of used DPoP proofs that the processes of a service share. Each service needs one of its own: the gateway and the
 * service behind it see the same proof of the same request.
 */
export interface ProofMemory {
  /** Notes a proof by its digest for `seconds`. False when any process noted it before. Throws when the memory is out of reach. */
  note(proof: string, seconds: number): Promise<boolean>;
}
