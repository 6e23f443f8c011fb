/** The services that pages act through: users, sessions, forms, credits, payments. */

import { clientAddress, limitedAs } from '../../client-address.ts'
import type { Config } from '../../config.ts'
import type { BackupRun } from '../../console/acts/backups.ts'
import { type Finding, quickChecks } from '../../console/acts/checks.ts'
import { mailNotices } from '../../console/acts/notices.ts'
import type { Desk } from '../../console/acts/requests.ts'
import type { Database } from '../../database/client.ts'
import { lockInMemory, type TakeLongLock } from '../../database/long-lock.ts'
import type { Log } from '../../log.ts'
import type { RequestLog } from '../../money/accounts/request-log.ts'
import type { Meter } from '../../money/charge/meter.ts'
import { openPaymentGateway, type PaymentGateway } from '../../money/payments/gateway.ts'
import type { ReferralRules } from '../../money/payments/referrals.ts'
import { createPrivacy, type Privacy } from '../../people/privacy/requests.ts'
import { createBackground } from '../../people/users/background.ts'
import {
  type Csrf,
  createCookies,
  createCsrf,
  createSealing,
  type Sealing,
} from '../../people/users/cookies.ts'
import { mailLowBalances } from '../../people/users/low-balance.ts'
import { openMailServer, sendMail } from '../../people/users/mail.ts'
import { createMailQueue, createOutbox } from '../../people/users/mail-queue.ts'
import { createPasswords } from '../../people/users/passwords.ts'
import type { PageQuota } from '../../people/users/rate-limiter.ts'
import { createUsers, type Users } from '../../people/users/users.ts'
import { socketAddressOf } from '../../runtime.ts'

export interface Application {
  /** The database, for queries of `src/money/accounts`, `src/people/users/workspace.ts` and `src/money/payments/payments.ts`. */
  database: Database
  meter: Meter
  /** The log of requests; absent where the operator keeps none. */
  requests: RequestLog | undefined
  users: Users
  csrf: Csrf
  /** Seals what a browser carries through signing in. */
  sealing: Sealing
  /** Requests of people about their own data. */
  privacy: Privacy
  payments: PaymentGateway
  /** Credits that a referral gives to each side, and when. */
  referralCredits: number
  referrals: ReferralRules
  /** Answers such requests, and erases. */
  desk: Desk
  /** Rewrites what lies beside the tables after an erasure; the log says where that fails. */
  afterErasure(rewrite: () => Promise<string[]>): void
  /** Pages of the directory that an account may read. */
  pages: PageQuota
  /** Settings that operators see. */
  config: Pick<Config, 'given' | 'dataDir' | 'workers' | 'backups'>
  /** The quick checks of `doctor`: machine, database and backups. */
  checks(): Promise<Record<string, Finding>>
  /** Returns the client's address, by which limits count: the socket's, unless that is a trusted proxy. */
  addressOf(request: Request): string
  /** Begins what was asked for an import, in another process; absent where this one starts none. */
  imports?: { begin(id: string): void } | undefined
  /** Makes backups, in another process; absent without BACKUP_DIR, or where this one starts none. */
  backups?:
    | {
        begin(name: string): Promise<BackupRun>
        last(): BackupRun | undefined
      }
    | undefined
  /** Looks for what people are to be told by mail: low credits, orders and privacy requests that wait, orders that were decided. */
  mailNews(): Promise<void>
  /** Sends the mails that are due, those of other processes as well. */
  sendMails(): Promise<void>
  /** Waits for what forms asked for, and a while for the mails that are being sent. */
  stop(): Promise<void>
}

export async function openApplication(
  config: Config,
  services: Pick<Application, 'database' | 'meter'> &
    Partial<Pick<Application, 'requests' | 'imports' | 'backups'>> & {
      appUrl: string
      log: Log
      /** Absent where the database is in memory, which nobody else uses. */
      takeLongLock?: TakeLongLock | undefined
    },
): Promise<Application> {
  const { database, meter, requests, imports, backups, appUrl, log, takeLongLock } = services
  const { serviceName, trialCredits, referralCredits, trustedProxies: proxies } = config
  const mailer = createMailQueue(database, await openMailServer(config), log)
  const background = createBackground(log)
  const passwords = createPasswords({ processes: config.workers })
  const site = { database, appUrl, serviceName }
  const rewriting = new Set<Promise<void>>()
  return {
    database,
    meter,
    requests,
    imports,
    backups,
    users: createUsers({ ...site, mailer, passwords, background, trialCredits }),
    csrf: createCsrf(createCookies(appUrl), appUrl),
    sealing: createSealing(createCookies(appUrl)),
    privacy: createPrivacy({ ...site, ...config.privacy, mailer, background, log }),
    payments: await openPaymentGateway(config, { database, appUrl, log }),
    referralCredits,
    referrals: config.referrals,
    pages: config.pages,
    desk: {
      ...{ database, sender: { serviceName, appUrl }, sendMail: (mail) => sendMail(config, mail) },
      beside: takeLongLock && config,
      takeLongLock: takeLongLock ?? lockInMemory(),
    },
    afterErasure(rewrite) {
      const work = rewrite().then((left) => {
        for (const what of left) log.error('a person is erased, but not everywhere', { what })
        rewriting.delete(work)
      })
      rewriting.add(work)
    },
    config,
    checks: () => quickChecks(database, config),
    addressOf(request) {
      const forwarded = request.headers.get('x-forwarded-for')
      return limitedAs(clientAddress(socketAddressOf(request), forwarded, proxies))
    },
    async mailNews() {
      if (!mailer.sends) return
      await mailLowBalances({ ...site, outbox: createOutbox(database, mailer) })
      const { mailNoticesTo, payments } = config
      await mailNotices({ ...site, mailNoticesTo, payments })
      await mailer.sweep()
    },
    sendMails: mailer.sweep,
    async stop() {
      await background.stop()
      await Promise.all(rewriting)
      await mailer.stop()
    },
  }
}
