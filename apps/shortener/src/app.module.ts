import type { ServiceParts } from '@gatepost/service-kit';
import { AccessTokenVerifier, TokenGuardMetrics, TokenGuardModule } from '@gatepost/token-guard';
import {
  type DynamicModule,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type Provider,
  StandardSchemaValidationPipe,
} from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { Counter } from 'prom-client';
import { AnalyticsModule } from './analytics/analytics.module.ts';
import { PartitionRepository } from './analytics/partition.repository.ts';
import { PartitionKeeper } from './analytics/partition-keeper.ts';
import { StatsController } from './analytics/stats.controller.ts';
import { NightlySchedule } from './archive/nightly-schedule.ts';
import { openNightlyJob } from './archive/open-nightly-job.ts';
import { ClickSink } from './clicks/click-sink.ts';
import { ClicksModule } from './clicks/clicks.module.ts';
import { type ShortenerEnv, tokenExpectations } from './env.ts';
import { IdempotencyRepository } from './idempotency/idempotency.repository.ts';
import { IdempotentRequests } from './idempotency/idempotent-requests.service.ts';
import { BulkController } from './links/bulk.controller.ts';
import { isOwnAddress } from './links/destination.ts';
import { invalidInput } from './links/invalid-input.ts';
import { LinkRepository } from './links/link.repository.ts';
import { LinkCreation } from './links/link-creation.service.ts';
import type { LinkRules } from './links/link-draft.ts';
import { LinkExport } from './links/link-export.service.ts';
import { LinkPresenter } from './links/link-presenter.ts';
import { LinksController } from './links/links.controller.ts';
import { OwnedLinkRepository } from './links/owned-link.repository.ts';
import { OwnedLinks } from './links/owned-links.service.ts';
import { QrController } from './links/qr.controller.ts';
import { CreationPolicy, ShortenController } from './links/shorten.controller.ts';
import { TransferController } from './links/transfer.controller.ts';
import { PrismaService } from './prisma.service.ts';
import { trustsPeers } from './redirect/client-address.ts';
import { FastLane } from './redirect/fast-lane.ts';
import { InvalidationCourier } from './redirect/invalidation-courier.ts';
import { InvalidationListener } from './redirect/invalidation-listener.ts';
import { InvalidationOutboxRepository } from './redirect/invalidation-outbox.repository.ts';
import { LinkLookupRepository } from './redirect/link-lookup.repository.ts';
import { LinkResolver } from './redirect/link-resolver.ts';
import { RedirectRoute } from './redirect/redirect.route.ts';
import { RedirectMetrics } from './redirect/redirect-metrics.ts';
import { RedisLinkCache } from './redirect/redis-link-cache.ts';
import { Visits } from './redirect/visits.ts';
import { RedisProofMemory } from './redis-proof-memory.ts';
import { Blocklist, blocklistReader } from './safety/blocklist.ts';
import { DestinationScanner } from './safety/destination-scanner.ts';
import { GuardedFetch } from './safety/guarded-fetch.ts';
import { HashPrefixReputationCheck } from './safety/hash-prefix-reputation-check.ts';
import { HttpReputationCheck } from './safety/http-reputation-check.ts';
import type { ReputationCheck } from './safety/reputation-check.ts';
import { ScanRepository } from './safety/scan.repository.ts';
import { WatchedFiles } from './safety/watched-files.ts';
import type { Stores } from './stores.ts';

export interface ShortenerParts extends ServiceParts<ShortenerEnv> {
  readonly stores: Stores;
}

/** What runs beside the requests, started with the app and stopped with it. */
interface Background {
  start?(): void | Promise<void>;
  stop(): void | Promise<void>;
}

class BackgroundWork implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(private readonly work: readonly Background[]) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const background of this.work) await background.start?.();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.work.map((background) => background.stop()));
  }
}

/** The composition root: the only file that knows every room. */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: a dynamic module of Nest is a static method
export class AppModule {
  static with(parts: ShortenerParts): DynamicModule {
    const { env, logger, metrics, stores } = parts;
    return {
      module: AppModule,
      imports: [
        tokenGuard(parts),
        ClicksModule.with({ env, logger, metrics }),
        AnalyticsModule.with({ env, pool: stores.database.pool, logger, metrics }),
      ],
      controllers: [
        ShortenController,
        BulkController,
        TransferController,
        QrController,
        LinksController,
        StatsController,
      ],
      providers: [
        {
          provide: APP_PIPE,
          useValue: new StandardSchemaValidationPipe({ exceptionFactory: invalidInput }),
        },
        ...linkProviders(parts),
        {
          provide: Visits,
          inject: [ClickSink, DestinationScanner],
          useFactory: (clicks: ClickSink, scanner: DestinationScanner) =>
            new Visits(clicks, scanner, trustsPeers(env.TRUSTED_PROXIES)),
        },
        {
          provide: RedirectRoute,
          inject: [LinkResolver, Visits, RedirectMetrics],
          useFactory: (resolver: LinkResolver, visits: Visits, { outcomes }: RedirectMetrics) =>
            new RedirectRoute(resolver, visits, outcomes),
        },
        {
          provide: FastLane,
          inject: [LinkResolver, Visits, RedirectMetrics],
          useFactory: (resolver: LinkResolver, visits: Visits, { outcomes }: RedirectMetrics) =>
            new FastLane(resolver, visits, outcomes, parts.readiness),
        },
      ],
    };
  }
}

function tokenGuard({ env, metrics, stores }: ShortenerParts): DynamicModule {
  const counted = new TokenGuardMetrics(metrics);
  const verifier = AccessTokenVerifier.create({
    ...tokenExpectations(env),
    observe: counted.observe,
    proofMemory: stores.redis && new RedisProofMemory(stores.redis, env.REDIS_PREFIX),
  });
  counted.watch(verifier);
  return TokenGuardModule.register({ publicUrl: env.PUBLIC_URL, verifier });
}

/** The rooms around a link, built by hand in the order of dependence: who knows whom can be read from top to bottom. */
function linkProviders(parts: ShortenerParts): Provider[] {
  const { env, logger, stores } = parts;
  const { pool } = stores.database;
  const blocklist = new Blocklist();
  const rules: LinkRules = {
    destination: { publicUrl: env.PUBLIC_URL, allowPrivate: env.ALLOW_PRIVATE_DESTINATIONS },
    findOnBlocklist: (longUrl) => blocklist.find(longUrl),
  };
  const outbox = new InvalidationOutboxRepository(pool);
  const redirectMetrics = new RedirectMetrics(parts.metrics, () => outbox.countPending());
  const shared = stores.redis && new RedisLinkCache(stores.redis, env.REDIS_PREFIX);
  const resolver = new LinkResolver(new LinkLookupRepository(stores.lookups), shared, blocklist, {
    entries: env.LINK_CACHE_ENTRIES,
    freshMs: env.LINK_CACHE_TTL_SECONDS * 1_000,
    levels: redirectMetrics.levels,
  });
  const courier = new InvalidationCourier(outbox, resolver, shared, logger);
  const links = new LinkRepository(pool);
  const owned = new OwnedLinks(
    links,
    new OwnedLinkRepository(new PrismaService(pool)),
    courier,
    rules,
  );
  const presenter = new LinkPresenter(rules);
  const idempotent = new IdempotentRequests(new IdempotencyRepository(pool), logger);
  const { scanner, lists } = safetyRooms(parts, { rules, blocklist, resolver, courier });
  const background: Background[] = [
    ...lists,
    courier,
    idempotent,
    scanner,
    ...nightWork(parts),
    ...(stores.subscriber && shared
      ? [new InvalidationListener(stores.subscriber, shared.channel, resolver)]
      : []),
  ];
  const rooms = [
    resolver,
    redirectMetrics,
    scanner,
    idempotent,
    new LinkCreation(links, resolver, { rules, codeLength: env.CODE_LENGTH }),
    owned,
    presenter,
    new LinkExport(owned, presenter),
    new CreationPolicy(env.ANONYMOUS_CREATE),
    new BackgroundWork(background),
  ];
  return rooms.map((room) => ({ provide: room.constructor, useValue: room }));
}

interface SafetyNeeds {
  readonly rules: LinkRules;
  readonly blocklist: Blocklist;
  readonly resolver: LinkResolver;
  readonly courier: InvalidationCourier;
}

function safetyRooms({ env, logger, metrics, stores }: ShortenerParts, needs: SafetyNeeds) {
  const { rules, blocklist, resolver, courier } = needs;
  const lists = [new WatchedFiles(blocklistReader(blocklist, env.BLOCKLIST_FILES), logger)];
  const reputationChecks: ReputationCheck[] = [];
  if (env.REPUTATION_HASHES_FILE) {
    const hashes = new HashPrefixReputationCheck();
    lists.push(new WatchedFiles(hashes.readerOf(env.REPUTATION_HASHES_FILE), logger));
    reputationChecks.push(hashes);
  }
  if (env.REPUTATION_HOOK_URL)
    reputationChecks.push(
      new HttpReputationCheck({
        url: env.REPUTATION_HOOK_URL,
        token: env.REPUTATION_HOOK_TOKEN,
        timeoutMs: env.REPUTATION_HOOK_TIMEOUT_MS,
      }),
    );
  const { allowPrivate, publicUrl } = rules.destination;
  const guarded = new GuardedFetch({
    allowPrivate,
    userAgent: `Gatepost-Scan/1.0 (+${publicUrl})`,
  });
  const scans = new Counter({
    name: 'shortener_scans_total',
    help: 'Scans of destinations by verdict; dropped: no room, offered again with the next redirect',
    labelNames: ['verdict'],
    registers: [metrics],
  });
  const scanner = new DestinationScanner(
    new ScanRepository(stores.database.pool),
    {
      fetchHop: (url, signal) => guarded.fetchHop(url, signal),
      findOnBlocklist: rules.findOnBlocklist,
      reputationChecks,
      allowPrivate,
      isOwnAddress: (url) => isOwnAddress(url, publicUrl),
    },
    { resolver, courier, logger, count: (verdict) => scans.inc({ verdict }) },
    env.SCAN_DESTINATIONS,
  );
  return { scanner, lists };
}

/** Where clicks are counted in process, nobody else keeps the partitions and the hours. */
function nightWork({ env, logger, stores }: ShortenerParts): Background[] {
  if (env.KAFKA_BROKERS.length > 0) return [];
  const { pool } = stores.database;
  return [
    new PartitionKeeper(new PartitionRepository(pool), env, logger),
    new NightlySchedule(openNightlyJob(env, pool, logger), env.ARCHIVE_HOUR, logger),
  ];
}
