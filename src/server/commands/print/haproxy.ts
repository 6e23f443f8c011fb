/** A whole `haproxy.cfg`. */
import { API_VERSION } from '../../../contract/version.ts'
import {
  API_BODY_BYTES,
  API_SILENT_SECONDS,
  APP_BODY_BYTES,
  APP_SILENT_SECONDS,
  isAlone,
  noInstance,
  type Place,
  PORTS,
  WAIT_SECONDS,
} from './place.ts'

/** Where certbot answers for as long as it asks for a certificate. */
const ACME_PORT = 8402
/** Where HAProxy listens for the API's calls that it sends to itself. */
export const CALL_PORT = 8403
/** More than an instance has for an answer, so that the caller gets the refusal that says whether the call was charged. */
const CALL_SECONDS = API_SILENT_SECONDS + 5

export function haproxyCfg(place: Place): string {
  const { apiHost, appHost } = place
  return `# Chainkin ${API_VERSION} behind HAProxy 2.4 or newer: haproxy -c -f haproxy.cfg && systemctl reload haproxy
#
# The service is told TRUSTED_PROXIES=<HAProxy's address, as it sees it>, or all callers would count as one.
# /etc/haproxy/certs holds the certificates, each with its key. HAProxy doesn't start without one, so one for nobody begins:
#   (umask 077; openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=nobody -keyout /etc/haproxy/certs/chainkin.pem -out /etc/haproxy/certs/chainkin.pem)
# Once HAProxy runs, it leads who asks for proof to certbot, now and at each renewal:
#   certbot certonly --standalone --http-01-port ${ACME_PORT} -d ${apiHost} -d ${appHost} \\
#     --deploy-hook 'cat $RENEWED_LINEAGE/fullchain.pem $RENEWED_LINEAGE/privkey.pem > /etc/haproxy/certs/chainkin.pem; systemctl reload haproxy'
# A call is sent again only where no connection was made, so HAProxy has none charged twice. On a connection that its client keeps, it
# would answer the death of an instance by closing it without a word, and clients (those of Go, Bun and Java among them) then send the
# call again by themselves. So HAProxy hands each call of the API to itself, on a connection for it alone, and every caller gets an
# answer. Where a caller's connection to HAProxy itself breaks, such a client does send its call again: an Idempotency-Key has it
# charged once.

global
    log /dev/log local0 notice
    user haproxy
    group haproxy
    chroot /var/lib/haproxy
    # The service answers too long addresses and headers itself.
    tune.bufsize 32768
    ssl-default-bind-options ssl-min-ver TLSv1.2

defaults
    mode http
    log global
    # Not each request: the service's own log (ACCESS_LOG) has no search words, ids and keys.
    option dontlog-normal
    option redispatch 1
    retry-on conn-failure
    # A retry at the same instance waits for a second.
    retries ${isAlone(place) ? WAIT_SECONDS : 3}
    timeout http-request 10s
    timeout http-keep-alive 60s
    timeout queue 5s
    timeout connect 2s
    timeout client 60s
    timeout server ${API_SILENT_SECONDS}s

frontend plain
    bind :80
    acl for_certbot path_beg /.well-known/acme-challenge/
    http-request redirect scheme https code 308 unless for_certbot
    default_backend certbot

frontend public
    bind :443 ssl crt /etc/haproxy/certs/ alpn h2,http/1.1
    option forwardfor
    acl for_api req.hdr(host),field(1,:) -i ${apiHost}
    acl for_app req.hdr(host),field(1,:) -i ${appHost}
    http-request deny deny_status 404 unless for_api or for_app
    http-request deny deny_status 413 if for_api { req.body_size gt ${API_BODY_BYTES} }
    http-request deny deny_status 413 if for_app { req.body_size gt ${APP_BODY_BYTES} }
    use_backend calls if for_api
    use_backend app if for_app

backend certbot
    server certbot 127.0.0.1:${ACME_PORT}

backend calls
    timeout server ${CALL_SECONDS}s
    server self 127.0.0.1:${CALL_PORT}

frontend call
    bind 127.0.0.1:${CALL_PORT}
    option httpclose
    default_backend api

backend api
    balance leastconn
${checkOf(place)}
${serversOf(place, PORTS.api)}
    # 503: nothing was sent. 502 and 504: it was, and the end was not heard.
    http-error status 503 content-type application/json hdr Retry-After 2 string '${noInstance(0)}'
    http-error status 502 content-type application/json hdr Retry-After 2 string '${noInstance(null)}'
    http-error status 504 content-type application/json hdr Retry-After 2 string '${noInstance(null)}'

backend app
    balance leastconn
    # An export may wait for its account's rate for a minute.
    timeout server ${APP_SILENT_SECONDS}s
${checkOf(place)}
${serversOf(place, PORTS.app)}
`
}

function checkOf(place: Place): string {
  if (isAlone(place))
    return '    # One instance: its own answer says more than that there is none, so it is not asked.'
  return `    # On the application's port. Three times within DRAIN_SECONDS (5), during which it answers on; one slow answer is no end, and an
    # instance that was killed refuses connections, which then go to another at once.
    option httpchk
    timeout check 2s
    http-check send meth GET uri /health/ready ver HTTP/1.1 hdr Host ready hdr Connection close
    http-check expect status 200
    default-server check port ${PORTS.app} inter 1s fall 3 rise 1`
}

function serversOf({ instances }: Place, port: number): string {
  return instances.map((host, n) => `    server instance${n + 1} ${host}:${port}`).join('\n')
}
