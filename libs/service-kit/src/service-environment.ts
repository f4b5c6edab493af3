import { z } from 'zod';
import { type EnvironmentFault, flag, httpAddress, port, variable, whole } from './environment.ts';

/** The management token of development; production refuses it. */
export const DEVELOPMENT_MANAGEMENT_TOKEN = 'gatepost-development';

/** The variables that all three apps share. */
export function serviceEnvironment(ports: { port: number; managementPort: number }) {
  return {
    GATEPOST_ENV: variable(
      z.enum(['development', 'production']).default('development'),
      'The one mode switch. Production refuses demo data, default secrets, memory or in-process stores and an http issuer',
    ),
    DEMO: variable(flag(false), 'Creates the demo data'),
    PUBLIC_URL: variable(
      httpAddress().default('http://localhost:8080'),
      'Address of the gateway as clients see it; issuer and audience derive from it',
    ),
    HOST: variable(z.string().default('127.0.0.1'), 'Address to listen on'),
    PORT: variable(port(ports.port), 'Port to listen on'),
    MANAGEMENT_HOST: variable(z.string().default('127.0.0.1'), 'Address of the management door'),
    MANAGEMENT_PORT: variable(
      port(ports.managementPort),
      'Port of the management door: probes, metrics, administration',
    ),
    MANAGEMENT_TOKEN: variable(
      z.string().min(16).default(DEVELOPMENT_MANAGEMENT_TOKEN),
      'Bearer token of the administration routes',
      { secret: true },
    ),
    LOG_LEVEL: variable(
      z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info'),
      'Least severe level that is logged',
    ),
    OTEL_EXPORTER_OTLP_ENDPOINT: variable(
      httpAddress().optional(),
      'OTLP/HTTP collector that traces go to; absent: no tracing',
    ),
    OTEL_TRACES_SAMPLER_ARG: variable(
      z.coerce.number().min(0).max(1).default(1),
      'Share of the traces beginning here that is kept; a caller’s decision is followed',
    ),
    DRAIN_DELAY_MS: variable(
      whole({ min: 0, max: 60_000, initially: 0 }),
      'Pause between readiness off and closing, for load balancers to notice, ms',
    ),
    SHUTDOWN_TIMEOUT_MS: variable(
      whole({ min: 1_000, max: 300_000, initially: 20_000 }),
      'What is still in flight after this is cut off, ms',
    ),
  };
}

export type ServiceEnv = z.output<z.ZodObject<ReturnType<typeof serviceEnvironment>>>;

/** What production refuses in the variables that all apps share. */
export function serviceRefusals(env: ServiceEnv): EnvironmentFault[] {
  if (env.GATEPOST_ENV !== 'production') return [];
  const faults: EnvironmentFault[] = [];
  if (env.DEMO) faults.push({ variable: 'DEMO', fault: 'demo data is refused in production' });
  if (env.MANAGEMENT_TOKEN === DEVELOPMENT_MANAGEMENT_TOKEN)
    faults.push({
      variable: 'MANAGEMENT_TOKEN',
      fault: 'the development token is refused in production',
    });
  if (!env.PUBLIC_URL.startsWith('https://'))
    faults.push({
      variable: 'PUBLIC_URL',
      fault: 'production needs an https address, for the issuer derives from it',
    });
  return faults;
}
