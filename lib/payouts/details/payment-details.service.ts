/** A partner gives or changes how it wants to be paid. */
import type { Context } from 'hono'
import type { SessionEnv } from '../../auth/session.ts'
import { newId } from '../../db/ids.ts'
import { rpc } from '../../http/rpc/rpc.ts'
import { timeWords } from '../../values/time-words.ts'
import type { PayoutsService, Refused } from '../payouts.rpc.ts'
import {
  cancelPaymentDetails,
  type PaymentChoice,
  savePaymentDetails,
} from './payment-details.queries.ts'
import {
  countryOf,
  effectiveFrom,
  MAX_CHANGES_PER_DAY,
  maskDetails,
  offeredMethods,
  type PaymentDetails,
  paidByWords,
} from './payment-details.ts'

export type DetailsEnv = SessionEnv & { Bindings: { PAYOUTS: Pick<PayoutsService, 'seal'> } }

const mailOf = (
  c: Pick<Context<DetailsEnv>, 'req'>,
  choice: PaymentChoice,
  paidBy: string | null,
  effectiveAt: Date,
) => ({
  details: {
    partnerName: choice.partnerName,
    workspaceName: choice.workspaceName,
    paidBy,
    effectiveAt: timeWords(effectiveAt),
    portalUrl: new URL(`/portal/payment?workspace=${choice.workspaceId}`, c.req.url).href,
  },
})

/** Stores a choice, encrypted, which takes effect after the hold. */
export const changePaymentDetails = async (
  c: Context<DetailsEnv>,
  choice: PaymentChoice,
  details: PaymentDetails | { method: 'stripe' },
): Promise<Refused | null> => {
  if (!choice.isApproved) return { refused: 'Only approved partners can change how they are paid.' }
  if (!offeredMethods(choice).includes(details.method))
    return { refused: 'The merchant does not offer this method. Choose another.' }
  if (choice.recentChanges >= MAX_CHANGES_PER_DAY)
    return { refused: 'You changed your payment details several times today. Try again tomorrow.' }
  const { db, now, user } = c.var
  const { workspaceId } = choice
  const isStripe = details.method === 'stripe'
  const masked = isStripe ? null : maskDetails(details)
  const effectiveAt = effectiveFrom(now)
  await savePaymentDetails(
    db,
    { workspaceId, email: user.email },
    {
      id: newId(),
      method: details.method,
      ciphertext: isStripe
        ? null
        : await rpc('payouts', c.env.PAYOUTS.seal(workspaceId, JSON.stringify(details))),
      masked,
      country: isStripe ? null : countryOf(details),
      effectiveAt,
    },
    mailOf(c, choice, paidByWords({ method: details.method, masked }), effectiveAt),
    now,
  )
  return null
}

/** Cancels a change within the hold. @returns whether there was one */
export const cancelChange = (
  c: Pick<Context<DetailsEnv>, 'req' | 'var'>,
  choice: PaymentChoice,
  id: string,
): Promise<boolean> => {
  const { db, now, user } = c.var
  const person = { workspaceId: choice.workspaceId, email: user.email }
  return cancelPaymentDetails(db, person, id, mailOf(c, choice, null, now), now)
}
