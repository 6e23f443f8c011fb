// Made by `bun run sdk` from src/contract. Changes go there.

/** Every `error.code` of the API. */
export type ApiErrorCode =
  /** 400: A parameter has a value that is not allowed. `parameter` names it, `allowed` says what is. */
  | 'invalid_parameter'
  /** 400: The endpoint has no parameter of this name, so the filter would silently not apply. */
  | 'unknown_parameter'
  /** 400: A required parameter is absent or empty. */
  | 'missing_parameter'
  /** 400: This `Idempotency-Key` was charged within the last 24 hours for another path or query. */
  | 'idempotency_key_reused'
  /** 400: The call of this `Idempotency-Key` has been repeated 5 times, the most that 24 hours allow. */
  | 'idempotency_key_exhausted'
  /** 401: The API key is missing, malformed, unknown, revoked or past its end. */
  | 'unauthorized'
  /** 402: The balance is below the price of the call. Nothing was charged. */
  | 'insufficient_credits'
  /** 402: The call costs more than the key’s own cap leaves for this day or month (UTC). The account may have credits. Nothing was charged. */
  | 'key_cap_exceeded'
  /** 403: The key lacks the scope that the call needs: `read:contacts` for a reveal, else `read:metadata`. */
  | 'missing_scope'
  /** 403: The key may be used from certain networks only, and the call came from another address, which the message names. */
  | 'address_not_allowed'
  /** 403: Whoever runs the service has suspended the account: no call with any of its keys is answered, not even a repeat. Nothing was charged, and credits and keys are as they were. */
  | 'account_suspended'
  /** 404: There is no such path, or no such record in this directory. Nothing was charged. */
  | 'not_found'
  /** 404: The endpoint is planned and does not answer yet. */
  | 'not_live'
  /** 405: The API is read-only: GET, HEAD and OPTIONS are what there is. */
  | 'method_not_allowed'
  /** 414: The URL is longer than 8 KiB. */
  | 'uri_too_long'
  /** 429: The account has made as many requests as its window allows; its keys share one limit. */
  | 'rate_limited'
  /** 429: The account has revealed as many contacts as an hour allows. Contacts already unlocked can still be read. */
  | 'reveal_cap_exceeded'
  /** 429: More than 20 requests of this address within a minute had no key that resolves. */
  | 'too_many_rejected_keys'
  /** 431: The request headers are larger than 16 KiB. */
  | 'headers_too_large'
  /** 501: The method is none that the service knows. GET, HEAD and OPTIONS are what there is. */
  | 'unknown_method'
  /** 500: The service failed. `charged` says whether it is known that the call cost nothing. */
  | 'internal_error'
  /** 503: The database did not answer in time, or too many calls wait for it. `charged` says whether it is known that the call cost nothing. */
  | 'unavailable'
