# syntax=docker/dockerfile:1
# One file for all three images:  docker build --build-arg APP=gateway-limiter -t gatepost/gateway-limiter .
# The bases are arguments, so that a mirror or another distribution can take their place.
ARG BUILD_IMAGE=node:24.21.0-trixie-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian13:nonroot

# The manifests alone. `COPY --parents` would say it in a line, but only BuildKit knows it.
FROM ${BUILD_IMAGE} AS manifests
WORKDIR /workspace
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json -delete && find . -type d -empty -delete

FROM ${BUILD_IMAGE} AS build
WORKDIR /workspace
# What is copied is the same until a dependency changes, and so is the layer below.
COPY --from=manifests /workspace ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node -e "import('./tools/build.mjs').then(({ buildAll }) => buildAll(console.log))"
ARG APP
RUN --mount=type=cache,target=/root/.npm node tools/package-app.mjs "${APP}" /app

FROM ${RUNTIME_IMAGE}
ARG APP
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="gatepost/${APP}" \
      org.opencontainers.image.description="Gatepost: OAuth 2.0 / OpenID Connect, short links and a rate-limiting gateway" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /app /app
# The entry point of the base is node itself: no shell is there. `main` links to the app, for exec form knows no variables.
COPY --from=build /workspace/tools/container /app/container
WORKDIR /app
ENV NODE_ENV=production \
    GATEPOST_ENV=production \
    GATEPOST_APP=${APP} \
    HOST=0.0.0.0 \
    MANAGEMENT_HOST=0.0.0.0 \
    NODE_OPTIONS="--enable-source-maps --disable-proto=delete"
USER 65532:65532
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 CMD ["/nodejs/bin/node", "/app/container/healthcheck.mjs"]
ENTRYPOINT ["/nodejs/bin/node", "/app/container/main.mjs"]
