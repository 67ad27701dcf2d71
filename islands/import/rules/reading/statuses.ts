/**
 * The statuses of partners on their former platform. Active partners are imported, others if
 * chosen.
 */
import { headerKey } from './columns.ts'

export type StatusKind = 'active' | 'pending' | 'ended' | 'other'

/** A status as the file writes it. */
export type PartnerStatus = { kind: StatusKind; word: string }

type HasStatus = { status?: PartnerStatus }

const WORDS: Record<Exclude<StatusKind, 'other'>, string[]> = {
  active: ['active', 'approved', 'accepted', 'enabled', 'enrolled', 'confirmed', 'a'],
  pending: [
    'pending',
    'invited',
    'applied',
    'awaitingapproval',
    'waiting',
    'inreview',
    'unconfirmed',
    'p',
  ],
  ended: [
    ...[
      'rejected',
      'declined',
      'denied',
      'blocked',
      'banned',
      'suspended',
      'deactivated',
      'archived',
      'inactive',
    ],
    ...['disabled', 'deleted', 'paused', 'd'],
  ],
}

/** @returns null for a blank cell, which counts as active */
export const statusOf = (text: string): PartnerStatus | null => {
  const key = headerKey(text)
  if (!key) return null
  const kinds = Object.keys(WORDS) as (keyof typeof WORDS)[]
  return {
    kind: kinds.find((kind) => WORDS[kind].includes(key)) ?? 'other',
    word: text.toLowerCase(),
  }
}

/** The inactive partners of a file by kind, with the file's words for each. */
export const inactiveKinds = (
  partners: HasStatus[],
): { kind: StatusKind; count: number; words: string[] }[] =>
  (['pending', 'ended', 'other'] as const).flatMap((kind) => {
    const found = partners.flatMap(({ status }) => (status?.kind === kind ? [status.word] : []))
    return found.length > 0 ? [{ kind, count: found.length, words: [...new Set(found)] }] : []
  })

/** The rows of active partners and of the chosen kinds, with their customers. */
export const rowsWith = <
  Partner extends HasStatus & { email: string },
  Customer extends { partnerEmail: string },
>(
  { partners, customers }: { partners: Partner[]; customers: Customer[] },
  kinds: readonly StatusKind[],
) => {
  const isLeftOut = ({ status }: Partner) =>
    status !== undefined && status.kind !== 'active' && !kinds.includes(status.kind)
  const emails = new Set(partners.filter(isLeftOut).map(({ email }) => email))
  return {
    partners: partners.filter((row) => !isLeftOut(row)),
    customers: customers.filter(({ partnerEmail }) => !emails.has(partnerEmail)),
  }
}
