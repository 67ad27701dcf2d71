import type { Identity } from './identities.ts'

/** What turned out to be one customer: identities, known or new, and other customers whose address was typed. */
export type Tie = { identities: Identity[]; customerIds: string[] }
