export { type AppOptions, createApp } from './create-app.ts';
export {
  defineEnvironment,
  type Environment,
  type EnvironmentFault,
  EnvironmentRefused,
  flag,
  httpAddress,
  list,
  port,
  variable,
  whole,
} from './environment.ts';
export { StartRefused } from './listening.ts';
export { createLogger, type Logger, toNestLogger } from './logger.ts';
export { ManagementDoor, type ManagementDoorOptions } from './management-door.ts';
export { createMetrics, type Registry } from './metrics.ts';
export { type DependencyState, Readiness } from './readiness.ts';
export { requestIdOf } from './request-id.ts';
export { runService, type Service, type ServiceParts } from './run-service.ts';
export {
  DEVELOPMENT_MANAGEMENT_TOKEN,
  type ServiceEnv,
  serviceEnvironment,
  serviceRefusals,
} from './service-environment.ts';
export {
  formatTraceparent,
  newTraceContext,
  parseTraceparent,
  type TraceContext,
} from './trace-context.ts';
export {
  type SpanRole,
  startTracing,
  TRACING_OFF,
  type TracedWork,
  type Tracing,
} from './tracing.ts';
