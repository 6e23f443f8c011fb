/** A `compose.yaml` that needs nothing beside it but the binary: service, PostgreSQL, and Caddy with its certificates. */
import { API_VERSION } from '../../../contract/version.ts'
import { caddyfile } from './caddy.ts'
import { IMAGE_STEPS } from './dockerfile.ts'
import { type Place, PORTS, publicAddresses, STOP_SECONDS } from './place.ts'

const SERVICE = 'chainkin'
/** Caddy's own address in the network of the two, which is all that the service trusts. */
const [NETWORK, CADDY] = ['172.31.251.0/24', '172.31.251.2']
/** Where Docker takes addresses of the others from, so that none gets Caddy's. */
const OTHERS = '172.31.251.128/25'

export function composeFile(place: Place): string {
  const { BASE_URL, APP_URL } = publicAddresses(place)
  return `# Chainkin ${API_VERSION} with PostgreSQL, and Caddy for the certificates. Docker Compose 2.24.0 or newer.
#
#   1. Beside this file: the binary \`chainkin\`, made for Linux.
#   2. The database's password, once:   (umask 077; echo "POSTGRES_PASSWORD=$(openssl rand -hex 24)" > .env)
#   3. ${place.apiHost} and ${place.appHost} lead to this machine, and its ports 80 and 443 are open.
#   4. docker compose up --detach --wait
#
# Commands:   docker compose exec -T chainkin chainkin import --companies - < companies.jsonl
# Settings:   chainkin.env, NAME=value: chainkin serve --help names all of them. What stands under \`environment\` below is changed there
# Backups:    each day into /data/backups; docker compose exec chainkin ls -l /data/backups. Copy them to another machine
# Restore:    it replaces the database. Who was erased since the backup is erased again by the list that is saved first
#             docker compose run --rm chainkin erasures save /data/erasures
#             docker compose stop chainkin
#             docker compose exec postgres dropdb --username=chainkin chainkin
#             docker compose exec postgres createdb --username=chainkin chainkin
#             docker compose run --rm chainkin restore /data/backups/NAME --erasures /data/erasures
#             docker compose up --detach --wait
# Upgrade:    read the changelog's notes, put the new binary here, then docker compose up --detach --build --wait
# Metrics:    http://chainkin:${PORTS.metrics}/metrics, for a Prometheus in the network \`front\`; the port is not published

name: chainkin

services:
  ${SERVICE}:
    image: chainkin:${API_VERSION}
    build:
      context: .
      dockerfile_inline: |
${indented(IMAGE_STEPS, 8)}
    init: true
    restart: unless-stopped
    # It drains for DRAIN_SECONDS (5), then has ten seconds for the calls in hand.
    stop_grace_period: ${STOP_SECONDS}s
    depends_on:
      postgres:
        condition: service_healthy
    env_file:
      - path: chainkin.env
        required: false
    environment:
      BASE_URL: ${BASE_URL}
      APP_URL: ${APP_URL}
      DATABASE_URL: postgres://chainkin:\${POSTGRES_PASSWORD:?write POSTGRES_PASSWORD=... to .env}@postgres:5432/chainkin?sslmode=disable
      HOST: 0.0.0.0
      TRUSTED_PROXIES: ${CADDY}
      METRICS_PORT: "${PORTS.metrics}"
      BACKUP_DIR: /data/backups
    volumes:
      - data:/data
    read_only: true
    tmpfs: /tmp
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    networks: [front, back]

  postgres:
    image: postgres:18
    restart: unless-stopped
    stop_grace_period: 60s
    shm_size: 256m
    environment:
      POSTGRES_USER: chainkin
      POSTGRES_DB: chainkin
      POSTGRES_PASSWORD: \${POSTGRES_PASSWORD:?write POSTGRES_PASSWORD=... to .env}
    healthcheck:
      # By TCP: while the first start makes the database, it answers at its socket alone.
      test: ["CMD", "pg_isready", "--host=127.0.0.1", "--username=chainkin", "--dbname=chainkin"]
      interval: 5s
      timeout: 3s
      start_period: 60s
    volumes:
      - postgres:/var/lib/postgresql
    security_opt: ["no-new-privileges:true"]
    networks: [back]

  caddy:
    image: caddy:2
    restart: unless-stopped
    depends_on: [chainkin]
    ports: ["80:80", "443:443", "443:443/udp"]
    configs:
      - source: caddyfile
        target: /etc/caddy/Caddyfile
    volumes:
      - caddy_data:/data
      - caddy_config:/config
    cap_drop: [ALL]
    cap_add: [NET_BIND_SERVICE]
    security_opt: ["no-new-privileges:true"]
    networks:
      front:
        ipv4_address: ${CADDY}

networks:
  front:
    ipam:
      config:
        - subnet: ${NETWORK}
          ip_range: ${OTHERS}
  back:
    # The database is reached by the service alone, and reaches nobody.
    internal: true

volumes:
  data:
  postgres:
  caddy_data:
  caddy_config:

configs:
  caddyfile:
    content: |
${indented(caddyfile({ ...place, instances: [SERVICE] }).replaceAll('$', '$$$$'), 6)}
`
}

function indented(text: string, spaces: number): string {
  return text.trimEnd().replace(/^(?=.)/gm, ' '.repeat(spaces))
}
