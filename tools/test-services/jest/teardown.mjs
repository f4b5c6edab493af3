// Jest's globalTeardown: leaves the servers that globalSetup joined.
export default async function teardown() {
  const provisions = globalThis.gatepostProvisions?.splice(0) ?? [];
  await Promise.all(provisions.map((provision) => provision.release()));
}
