import { definitionStoreContract } from './definition-store.contract.ts';
import { MemoryDefinitionStore } from './memory-definition-store.ts';

describe('memory definition store', () => {
  definitionStoreContract(async () => new MemoryDefinitionStore());
});
