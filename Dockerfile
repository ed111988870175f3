FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --release --locked && cargo build --release --locked --example mico-worker

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl && rm -rf /var/lib/apt/lists/* \
    && useradd --system --home /var/lib/portero --create-home portero
COPY --from=build /src/target/release/portero /usr/local/bin/portero
COPY --from=build /src/target/release/examples/mico-worker /usr/local/bin/mico-worker
USER portero
WORKDIR /var/lib/portero
ENTRYPOINT ["portero", "--config", "/etc/portero/portero.toml"]
CMD ["serve"]
