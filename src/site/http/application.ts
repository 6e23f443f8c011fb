/** The services that pages act through: users, sessions, forms, credits, payments. */

import { clientAddress, limitedAs } from '../../client-address.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/client.ts'
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
import { openMailServer } from '../../people/users/mail.ts'
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
  /** Pages of the directory that an account may read. */
  pages: PageQuota
  /** Returns the client's address, by which limits count: the socket's, unless that is a trusted proxy. */
  addressOf(request: Request): string
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
    Partial<Pick<Application, 'requests'>> & {
      appUrl: string
      log: Log
      /** Queues mails of other rooms: the console's notices. */
      mailNotices(): Promise<void>
    },
): Promise<Application> {
  const { database, meter, requests, appUrl, log, mailNotices } = services
  const { serviceName, trialCredits, referralCredits, trustedProxies: proxies } = config
  const mailer = createMailQueue(database, await openMailServer(config), log)
  const background = createBackground(log)
  const passwords = createPasswords({ processes: config.workers })
  const site = { database, appUrl, serviceName }
  return {
    database,
    meter,
    requests,
    users: createUsers({ ...site, mailer, passwords, background, trialCredits }),
    csrf: createCsrf(createCookies(appUrl), appUrl),
    sealing: createSealing(createCookies(appUrl)),
    privacy: createPrivacy({ ...site, ...config.privacy, mailer, background, log }),
    payments: await openPaymentGateway(config, { database, appUrl, log }),
    referralCredits,
    referrals: config.referrals,
    pages: config.pages,
    addressOf(request) {
      const forwarded = request.headers.get('x-forwarded-for')
      return limitedAs(clientAddress(socketAddressOf(request), forwarded, proxies))
    },
    async mailNews() {
      if (!mailer.sends) return
      await mailLowBalances({ ...site, outbox: createOutbox(database, mailer) })
      await mailNotices()
      await mailer.sweep()
    },
    sendMails: mailer.sweep,
    async stop() {
      await background.stop()
      await mailer.stop()
    },
  }
}
