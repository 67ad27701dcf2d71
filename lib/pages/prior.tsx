import type { PriorCommissions } from '../customers/prior.ts'
import { counted } from '../plural.ts'
import { money } from './money.tsx'

/** What was paid on another platform, such as "12 commissions of $96.00", as far as it is known. */
export const priorWords = ({ commissions, amountCents, currency }: PriorCommissions) => (
  <>
    {commissions !== null && counted(commissions, 'commission')}
    {commissions !== null && amountCents !== null && ' of '}
    {amountCents !== null && money(amountCents, currency)}
  </>
)
