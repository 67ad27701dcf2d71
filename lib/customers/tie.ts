import type { Identity } from './identities.ts'

/** What turned out to be one customer: identities, known or new, and other customers. */
export type Tie = { identities: Identity[]; customerIds: string[] }
