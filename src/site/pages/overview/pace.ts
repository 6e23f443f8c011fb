/** How long credits last, in words that claim no more than is known. */
import type { Credits } from '../../../money/accounts/credits.ts'
import type { Overview } from '../../../money/accounts/overview.ts'
import { figure, plural } from '../../ui/text.tsx'

/** Says how long the balance lasts at the pace of the last days. */
export function paceText(
  { balance, unlimited }: Pick<Credits, 'balance' | 'unlimited'>,
  { credits, days, isPart }: Overview['pace'],
): string {
  if (unlimited) return 'Your plan has no credit limit.'
  const period = periodText(days, isPart)
  if (credits === 0) return `Nothing was charged in ${period}, so there is no pace to go by.`
  const spent = `${plural(credits, 'credit', 'credits')} in ${period}`
  if (balance <= 0) return `No credits are left. You spent ${spent}.`
  // Very many charges tell their pace in less than a day; few of a young account don't.
  if (days < 1 && !isPart)
    return `You spent ${spent}, too short a time to tell how long the balance lasts.`
  return `You spent ${spent}. At this pace the balance lasts ${lastsText((balance / credits) * days)}.`
}

function periodText(days: number, isPart: boolean): string {
  const minutes = Math.max(1, Math.round(days * 24 * 60))
  if (isPart && minutes < 90)
    return minutes === 1 ? 'the last minute' : `the last ${minutes} minutes`
  const hours = Math.max(1, Math.round(days * 24))
  if (hours < 36) return hours === 1 ? 'the last hour' : `the last ${hours} hours`
  // As Usage counts days: today is one.
  return `the last ${figure(isPart ? Math.round(days) : Math.ceil(days))} days`
}

function lastsText(days: number): string {
  if (days < 1) return 'less than a day'
  if (days > 365) return 'more than a year'
  const whole = Math.floor(days)
  return `about ${plural(whole, 'day', 'days')}`
}
