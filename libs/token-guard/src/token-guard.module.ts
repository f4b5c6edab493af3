import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import { AccessTokenGuard, PublicOrigin } from './access-token.guard.ts';
import { AccessTokenVerifier } from './access-token-verifier.ts';

export interface TokenGuardModuleOptions {
  readonly verifier: AccessTokenVerifier;
  /** `{base_url}` of the service, without a trailing slash. */
  readonly publicUrl: string;
}

/** Makes `@UseGuards(AccessTokenGuard)` work in every room of an app, and closes the verifier with the app. */
@Module({})
export class TokenGuardModule implements OnApplicationShutdown {
  constructor(private readonly verifier: AccessTokenVerifier) {}

  static register({ verifier, publicUrl }: TokenGuardModuleOptions): DynamicModule {
    return {
      module: TokenGuardModule,
      global: true,
      providers: [
        { provide: AccessTokenVerifier, useValue: verifier },
        { provide: PublicOrigin, useValue: new PublicOrigin(publicUrl) },
        AccessTokenGuard,
      ],
      exports: [AccessTokenVerifier, PublicOrigin, AccessTokenGuard],
    };
  }

  onApplicationShutdown(): void {
    this.verifier.close();
  }
}
