/** In words, how a customer came to have an identity. */
import type { Evidence, Identity } from '../rules/identities/identities.ts'

/** An identity, and how the customer came to have it. */
export type CustomerIdentity = Identity & Evidence

export const explainIdentity = ({ kind, value, source, evidence }: CustomerIdentity): string => {
  switch (source) {
    case 'lead':
    case 'sale':
      return `Reported by your ${source} ${evidence}.`
    case 'import':
      return 'Imported.'
    case 'purchase':
      return kind === 'guest' && value !== evidence
        ? `Typed by the buyer of the purchase ${evidence}, who has no customer id.`
        : `Named by the purchase ${evidence}.`
    case 'customer':
      return `Named by the metadata of the customer ${evidence}.`
  }
}
