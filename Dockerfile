# The program, built from this repository. It runs as an unprivileged account, writes only to /data and /tmp, and keeps its files in
# /data. The last stage runs nothing, so an image for another architecture needs no emulator.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
WORKDIR /opt/qal
RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json Makefile ./
RUN make install
COPY . .
RUN make build && mkdir /data
# npm's name for amd64 is x64.
ARG TARGETARCH
RUN npm ci --omit=dev --os=linux --libc=glibc --cpu="$(echo "$TARGETARCH" | sed s/amd64/x64/)"

FROM node:24-bookworm-slim
WORKDIR /opt/qal
COPY --from=build /opt/qal/package.json ./
COPY --from=build /opt/qal/node_modules node_modules
COPY --from=build /opt/qal/bin bin
COPY --from=build /opt/qal/dist dist
COPY --from=build --chown=node:node /data /data
USER node
ENV PATH=/opt/qal/bin:$PATH HOST=0.0.0.0 PORT=8080 DATA_DIR=/data QAL_ENVIRONMENT=production
VOLUME /data
EXPOSE 8080
HEALTHCHECK --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(1))"]
CMD ["qal", "serve"]
