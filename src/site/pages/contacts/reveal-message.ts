/** What a batch of reveals came to, in words. */
import type { Charged } from '../../../money/accounts/ledger.ts'
import type { BatchStop } from '../../../money/accounts/web-reveals.ts'
import { figure, plural } from '../../ui/text.tsx'

const REASONS: Readonly<Record<BatchStop, string>> = {
  credits: 'Your credits ran out.',
  rate: 'The account is over its request rate: go on in a minute.',
  reveals: 'This hour’s first reveals are used up.',
  suspended: 'Your account was suspended.',
  access: 'You were signed out, or you no longer have access to this account.',
  plan: 'Your plan no longer includes this.',
  unavailable: 'The service can’t continue right now.',
  unknown:
    'The service can’t continue right now. We don’t know whether the next one was charged: Usage shows it. Nobody is charged twice.',
}

export const isBatchStop = (text: string): text is BatchStop => Object.hasOwn(REASONS, text)

/** People of a batch that were not charged for. */
interface Uncharged {
  /** Unlocked before, or meanwhile by somebody else. */
  before: number
  /** Without a channel by now. */
  bare: number
  gone: number
}

/** The sentence that says what was revealed and charged, as far as it is known. @param stopped why the batch ended early */
export function messageOf(
  charged: Charged,
  stopped: BatchStop | null,
  { before, bare, gone }: Uncharged,
): string {
  const parts = [
    charged.credits === 0 && before > 0
      ? 'These were charged before; nothing more was.'
      : `${plural(charged.people, 'person was', 'people were')} revealed: ${plural(charged.credits, 'credit was', 'credits were')} charged.`,
    charged.credits > 0 && before > 0
      ? `${figure(before)} had been unlocked before and cost nothing.`
      : '',
    bare > 0 ? `${figure(bare)} of them, without a channel on file any more, cost nothing.` : '',
    gone > 0 ? `${figure(gone)} of them went from the directory.` : '',
    stopped ? `It stopped there. ${REASONS[stopped]}` : '',
  ]
  return parts.filter(Boolean).join(' ')
}
