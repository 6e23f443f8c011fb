/** A Caddyfile: certificates by themselves, two names, one or several instances. */
import { API_VERSION } from '../../../contract/version.ts'
import {
  API_BODY_BYTES,
  API_SILENT_SECONDS,
  APP_BODY_BYTES,
  APP_SILENT_SECONDS,
  isAlone,
  KEEP_SECONDS,
  noInstance,
  type Place,
  PORTS,
  WAIT_SECONDS,
} from './place.ts'

export function caddyfile(place: Place): string {
  return `# Chainkin ${API_VERSION} behind Caddy 2.6 or newer, which gets the certificates of both names by itself and sends plain http to https.
#
#   caddy validate --config Caddyfile --adapter caddyfile && caddy reload --config Caddyfile
#
# The service is told TRUSTED_PROXIES=<Caddy's address, as it sees it>, or all callers would count as one. Caddy replaces what
# callers say in X-Forwarded-For. Answers are streamed as they come, and whoever hangs up ends an export. Nothing is compressed here:
# the service does so.
{
	# A call that reaches no instance is logged without its caller and its words, as the service's own log (ACCESS_LOG) has none.
	log {
		format filter {
			wrap json
			fields {
				request>remote_ip delete
				request>remote_port delete
				request>client_ip delete
				request>uri delete
				request>headers delete
			}
		}
	}
}

${place.apiHost} {
${bodiesUpTo(API_BODY_BYTES)}
${proxyTo(place, PORTS.api, API_SILENT_SECONDS, KEEP_NONE)}
	handle_errors {
		@no_instance expression {err.status_code} >= 500
		handle @no_instance {
			header Content-Type application/json
			header Retry-After 2
			respond \`${noInstance(null)}\` 503
		}
	}
}

${place.appHost} {
${bodiesUpTo(APP_BODY_BYTES)}
${proxyTo(place, PORTS.app, APP_SILENT_SECONDS, `			keepalive ${KEEP_SECONDS}s`)}
}
`
}

/** Refuses what says that it has more digits of bytes, and cuts off what turns out to be longer. Caddy's own answer to that is no 413. */
const bodiesUpTo = (
  bytes: number,
) => `	@large header_regexp Content-Length ^\\d{${String(bytes).length + 1},}$
	respond @large 413
	request_body {
		max_size ${bytes}
	}`

function proxyTo(place: Place, port: number, silentSeconds: number, keeping: string): string {
  const upstreams = place.instances.map((instance) => `${instance}:${port}`).join(' ')
  return `	reverse_proxy ${upstreams} {
${isAlone(place) ? WAITING : CHECKED}
		# A call that may have reached an instance is sent again only where it is charged once even so.
		lb_retry_match {
			header Idempotency-Key *
		}
		transport http {
			dial_timeout 2s
			response_header_timeout ${silentSeconds}s
${keeping}
		}
	}`
}

/** On a connection that was used before, Caddy sends a call again by itself when the connection ends without an answer. */
const KEEP_NONE = `			# A call on a kept connection would be sent again, and charged again, where an instance is killed in the middle of it.
			keepalive off`

/** A single instance is waited for, so that a restart fails no call. */
const WAITING = `		# One instance: while it is started again, calls wait.
		lb_try_duration ${WAIT_SECONDS}s
		lb_try_interval 100ms`

const CHECKED = `		lb_policy least_conn
		lb_try_duration 5s
		lb_try_interval 100ms
		# On the application's port, oftener than DRAIN_SECONDS.
		health_uri /health/ready
		health_port ${PORTS.app}
		health_interval 1s
		health_timeout 2s
		health_status 200`
