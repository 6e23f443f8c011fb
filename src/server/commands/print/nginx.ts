/** A configuration of nginx for its folder `conf.d`. */
import { API_VERSION } from '../../../contract/version.ts'
import {
  API_BODY_BYTES,
  API_SILENT_SECONDS,
  APP_BODY_BYTES,
  APP_SILENT_SECONDS,
  KEEP_SECONDS,
  noInstance,
  type Place,
  PORTS,
} from './place.ts'

export function nginxConf(place: Place): string {
  const { apiHost, appHost } = place
  return `# Chainkin ${API_VERSION} behind nginx 1.18 or newer.
#
#   1. Certificates, before this file is in place, because nginx doesn't start without them:
#      certbot certonly --webroot -w /var/www/html -d ${apiHost} -d ${appHost} --deploy-hook 'nginx -s reload'
#   2. Copy it to /etc/nginx/conf.d/chainkin.conf, then nginx -t && nginx -s reload
#
# The service is told TRUSTED_PROXIES=<nginx's address, as it sees it>, or all callers would count as one.
#
# nginx asks nobody for readiness (its paid edition does): it learns of a stopped instance when a connection is refused, and takes the
# next one. max_fails=0, or it would leave an instance that is back alone for ten seconds. It can't tell a connection that was refused
# from one that broke, so a call in hand when an instance or one of its workers is killed is sent again, also to the only instance, and
# charged again unless it has an Idempotency-Key. Where that must be exact without a key, take HAProxy or Caddy.

${upstream(place, 'chainkin_api', PORTS.api)}

${upstream(place, 'chainkin_app', PORTS.app)}

server {
    listen 80;
    listen [::]:80;
    server_name ${apiHost} ${appHost};
    location /.well-known/acme-challenge/ { root /var/www/html; }
    location / { return 308 https://$host$request_uri; }
}

server {
    listen 443 ssl http2;
    listen [::]:443 ssl http2;
    server_name ${apiHost};
    ssl_certificate     /etc/letsencrypt/live/${apiHost}/fullchain.pem;
    ssl_certificate_key /etc/letsencrypt/live/${apiHost}/privkey.pem;
${COMMON}
    client_max_body_size ${API_BODY_BYTES};

    location / {
        proxy_pass http://chainkin_api;
${HEADERS}
        proxy_read_timeout ${API_SILENT_SECONDS}s;
    }

    error_page 502 504 = @no_instance;
    location @no_instance {
        default_type application/json;
        add_header Retry-After 2 always;
        return 503 '${noInstance(null)}';
    }
}

server {
    listen 443 ssl http2;
    listen [::]:443 ssl http2;
    server_name ${appHost};
    ssl_certificate     /etc/letsencrypt/live/${apiHost}/fullchain.pem;
    ssl_certificate_key /etc/letsencrypt/live/${apiHost}/privkey.pem;
${COMMON}
    client_max_body_size ${APP_BODY_BYTES};

    location / {
        proxy_pass http://chainkin_app;
${HEADERS}
        # Pages and exports are sent while they are made, and stop where their reader leaves.
        proxy_buffering off;
        # The service knows who sends a file before it takes it in: nginx would store it first.
        proxy_request_buffering off;
        proxy_read_timeout ${APP_SILENT_SECONDS}s;
    }
}
`
}

function upstream({ instances }: Place, name: string, port: number): string {
  const servers = instances.map((instance) => `    server ${instance}:${port} max_fails=0;`)
  return `upstream ${name} {
${servers.join('\n')}
    keepalive 32;
    # Before the service closes them.
    keepalive_timeout ${KEEP_SECONDS}s;
}`
}

const COMMON = `    ssl_protocols TLSv1.2 TLSv1.3;
    server_tokens off;
    # The service's own log (ACCESS_LOG) has no search words, ids and keys. A call that reaches no instance stands in error.log
    # whole, with its caller's address: keep that file no longer than you need it.
    access_log off;
    # The service answers too long addresses and headers itself.
    large_client_header_buffers 8 32k;
    # The service compresses by itself, from 1 kB on: answers of the API, and pages unless they are sent while they are made.
    gzip off;`

const HEADERS = `        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_connect_timeout 2s;
        # Never by status: a 503 may have been charged. Never after a wait.
        proxy_next_upstream error;`
