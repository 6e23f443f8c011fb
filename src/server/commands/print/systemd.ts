/** A unit of systemd for one machine: a user of its own, and nothing that a server doesn't need. */
import { API_VERSION } from '../../../contract/version.ts'
import { type Place, PORTS, publicAddresses, STOP_SECONDS } from './place.ts'

/** Where the process that stands in during an upgrade shows its metrics. */
const NEXT_METRICS_PORT = PORTS.metrics + 1

export function systemdUnit(place: Place): string {
  const { BASE_URL, APP_URL } = publicAddresses(place)
  return `# Chainkin ${API_VERSION} under systemd, with its database in /var/lib/chainkin or at DATABASE_URL.
#
#   install -m 0755 chainkin /usr/local/bin/chainkin
#   install -m 0644 chainkin.service /etc/systemd/system/chainkin.service
#   touch /etc/chainkin.env && chmod 0600 /etc/chainkin.env      # settings and secrets, NAME=value: chainkin serve --help
#   systemctl daemon-reload && systemctl enable --now chainkin
#
# Commands run as the service's user, with its settings, beside it. Never run one on /var/lib/chainkin as root: its files would be root's.
#
#   systemd-run --pipe --wait --collect --quiet -p DynamicUser=yes -p User=chainkin -p StateDirectory=chainkin \\
#     -p WorkingDirectory=/var/lib/chainkin -p UMask=0077 -E DATA_DIR=/var/lib/chainkin -E BASE_URL=${BASE_URL} -E APP_URL=${APP_URL} \\
#     -p EnvironmentFile=-/etc/chainkin.env /usr/local/bin/chainkin account list
#
# Files go in by <, and out by >: import --companies - < companies.jsonl
# Backups: BACKUP_DIR=/var/lib/chainkin/backups in /etc/chainkin.env makes one each day. Copy them to another machine.
# Upgrade: put the new binary in place, then systemctl restart chainkin. Read the upgrade notes of the changelog before.
# The embedded database is one process's at a time, so no call is answered from the end of one until the next has begun. On PostgreSQL
# no call finds the port closed: another process answers at the same ports (serve --beside) while this one is started again. METRICS_PORT
# answers once its process does.
#
#   systemd-run --unit=chainkin-next --collect -p DynamicUser=yes -p User=chainkin -p StateDirectory=chainkin -p KillMode=mixed \\
#     -p WorkingDirectory=/var/lib/chainkin -p UMask=0077 -p EnvironmentFile=/etc/chainkin.env \\
#     -E HOST=127.0.0.1 -E TRUSTED_PROXIES=127.0.0.1,::1 -E BASE_URL=${BASE_URL} -E APP_URL=${APP_URL} \\
#     /usr/bin/env METRICS_PORT=${NEXT_METRICS_PORT} /usr/local/bin/chainkin serve --beside
#   until curl -fso /dev/null http://127.0.0.1:${NEXT_METRICS_PORT}/metrics; do sleep 1; done && systemctl restart chainkin
#   until curl -fso /dev/null http://127.0.0.1:${PORTS.metrics}/metrics; do sleep 1; done && systemctl stop chainkin-next

[Unit]
Description=Chainkin, a directory of crypto people and companies, billed by the call
After=network-online.target postgresql.service
Wants=network-online.target

[Service]
Type=exec
ExecStart=/usr/local/bin/chainkin serve --beside
Environment=BASE_URL=${BASE_URL}
Environment=APP_URL=${APP_URL}
# Only this machine reaches the listeners: a proxy here leads to ${PORTS.api} and ${PORTS.app}. To a proxy elsewhere, HOST is an address
# that it reaches, TRUSTED_PROXIES is its own, and a firewall lets nobody else in.
Environment=HOST=127.0.0.1
Environment=TRUSTED_PROXIES=127.0.0.1,::1
Environment=METRICS_PORT=${PORTS.metrics}
Environment=DATA_DIR=/var/lib/chainkin
EnvironmentFile=-/etc/chainkin.env

# SIGTERM drains: it answers for DRAIN_SECONDS (5), then has ten seconds for the calls in hand. The process above the workers tells them.
KillMode=mixed
TimeoutStopSec=${STOP_SECONDS}
Restart=always
RestartSec=2

DynamicUser=yes
User=chainkin
StateDirectory=chainkin
StateDirectoryMode=0700
WorkingDirectory=/var/lib/chainkin
UMask=0077
LimitNOFILE=65536

# No rights that it doesn't use. Memory that is written and run can't be forbidden: JavaScript is compiled while it runs.
CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`
}
