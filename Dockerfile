# The program, built from this repository. It runs as an unprivileged account and keeps its files in /data.
FROM node:24-bookworm-slim AS build
WORKDIR /opt/qal
RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json Makefile ./
RUN make install
COPY . .
RUN make build && npm prune --omit=dev

FROM node:24-bookworm-slim
WORKDIR /opt/qal
COPY --from=build /opt/qal/package.json ./
COPY --from=build /opt/qal/node_modules node_modules
COPY --from=build /opt/qal/bin bin
COPY --from=build /opt/qal/dist dist
RUN ln -s /opt/qal/bin/qal /usr/local/bin/qal && mkdir /data && chown node:node /data
USER node
ENV HOST=0.0.0.0 PORT=8080 DATA_DIR=/data QAL_ENVIRONMENT=production
VOLUME /data
EXPOSE 8080
HEALTHCHECK --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(1))"]
CMD ["qal", "serve"]
