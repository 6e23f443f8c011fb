/** Schema of an error. */
import { Type } from '@sinclair/typebox'
import { ERRORS } from '../errors.ts'
import { constant, enumeration, integer, orNull, record, text, time, url } from './shapes.ts'

export const error = record('Error', 'Why the call was not answered.', {
  error: record('ErrorDetail', 'The error, for people and for programs.', {
    code: enumeration('ErrorCode', Object.keys(ERRORS), 'What a program decides by.'),
    message: text('What went wrong and what to do.'),
    docs: url('The section of the code in the documentation.'),
    charged: orNull(
      constant(
        0,
        'Credits that the call took: none, or null where that is not known. Then a repeat with the same Idempotency-Key is safe, and the ledger tells.',
      ),
    ),
    parameter: Type.Optional(text('The parameter that was refused.')),
    allowed: Type.Optional(
      Type.Union([Type.Array(Type.String()), Type.String()], {
        description: 'What would have been accepted: values, or a description.',
      }),
    ),
    creditsRequired: Type.Optional(integer('Credits of the call.')),
    creditsBalance: Type.Optional(integer('The current balance.')),
    renewsAt: Type.Optional(time('When the cap of the key begins anew.')),
    retryAfter: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Seconds to wait before the next try.' }),
    ),
  }),
})
