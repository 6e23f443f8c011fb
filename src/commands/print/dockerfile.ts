/** The image of the binary alone. */
import { API_VERSION } from '../../contract/version.ts'
import { PORTS } from './place.ts'

/** The steps, as `docker build` and `compose.yaml` take them. */
export const IMAGE_STEPS = `FROM debian:bookworm-slim
RUN groupadd --gid 10001 chainkin \\
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin chainkin \\
 && install --directory --owner=10001 --group=10001 --mode=0700 /data
COPY --chmod=0755 chainkin /usr/local/bin/chainkin
ENV HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /data
VOLUME /data
EXPOSE ${PORTS.api} ${PORTS.app}
USER 10001:10001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=2m CMD ["chainkin", "ready"]
ENTRYPOINT ["chainkin"]
CMD ["serve"]
`

export const dockerfile =
  () => `# Chainkin ${API_VERSION}: the binary alone, as a user without rights.
#
# Beside this file lies the binary \`chainkin\`, made for Linux with the C library of GNU (bun run build).
#
#   docker build --tag chainkin:${API_VERSION} .
#   docker run --init --detach --name chainkin --stop-timeout 30 --volume chainkin:/data \\
#     --publish 127.0.0.1:${PORTS.api}:${PORTS.api} --publish 127.0.0.1:${PORTS.app}:${PORTS.app} chainkin:${API_VERSION}
#   docker exec chainkin chainkin account list
#
# The embedded database lies in /data. With DATABASE_URL nothing is kept there. \`chainkin serve --help\` names every setting.

${IMAGE_STEPS}`
