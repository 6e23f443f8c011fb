/** The image of the binary alone. */
import { API_VERSION } from '../../../contract/version.ts'
import { type Place, PORTS, publicAddresses, STOP_SECONDS } from './place.ts'

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

export function dockerfile(place: Place): string {
  const { BASE_URL, APP_URL } = publicAddresses(place)
  return `# Chainkin ${API_VERSION}: the binary alone, as a user without rights.
#
# Beside this file lies the binary \`chainkin\`, made for Linux with the C library of GNU (bun run build).
#
#   docker build --tag chainkin:${API_VERSION} .
#   docker run --init --detach --restart unless-stopped --name chainkin --stop-timeout ${STOP_SECONDS} --volume chainkin:/data \\
#     --publish 127.0.0.1:${PORTS.api}:${PORTS.api} --publish 127.0.0.1:${PORTS.app}:${PORTS.app} \\
#     --env BASE_URL=${BASE_URL} --env APP_URL=${APP_URL} --env TRUSTED_PROXIES=172.17.0.1 chainkin:${API_VERSION}
#   docker exec chainkin chainkin account list
#
# A proxy on this machine reaches it from the address of Docker's bridge, which is 172.17.0.1 unless it was changed
# (docker network inspect bridge). If that is not in TRUSTED_PROXIES, all callers count as one.
#
# The embedded database lies in /data. With DATABASE_URL nothing is kept there. \`chainkin serve --help\` names every setting.

${IMAGE_STEPS}`
}
