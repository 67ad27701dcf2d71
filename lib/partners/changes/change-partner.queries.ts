/** PATCH /partners/:id: changes by managers. */

import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import { diff, type Patch } from '../../audit/diff.ts'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { unlessTaken } from '../../imports/partners/partner-import.queries.ts'
import { partnersStay } from '../../imports/undone.queries.ts'
import { withholdMails } from '../../mail/outbox/outbox.queries.ts'
import { cancelForBan } from '../../payouts/corrections/cancel.queries.ts'
import { lostRace } from '../../platform/unavailable.ts'
import { newReward, rewardTerms } from '../../programs/rewards.queries.ts'
import { updateTerms } from '../../programs/terms.queries.ts'
import type { RewardTerms } from '../../rules/rewards/rewards.ts'
import type { PartnerStatus } from '../../tenancy/workspaces/tables.ts'
import { slugKey } from '../../values/slugs.ts'
import {
  keepFormerSlug,
  type SlugRefusal,
  slugRefusal,
  slugStateQuery,
} from '../links/links.queries.ts'
import { groupsOfPartnerQuery, type PartnerRow, partnerQuery } from '../lists/partners.queries.ts'
import { addressState, type Correction, correctAddress } from './address-changes.queries.ts'

/** Attempts: in each round, one of the concurrent requests succeeds. */
const ROUNDS = 10

/** The fields that managers can change, without the address. */
type PartnerTerms = {
  name: string | null
  slug: string
  groupId: string | null
  /** Its own, for sales; null for the group's or the program's. */
  reward: RewardTerms | null
  status: PartnerStatus
  documentsReceived: boolean
  /** Null for the program's. */
  minimumPayoutCents: number | null
}

/** Why a partner is not changed. */
export type PartnerRefusal =
  | SlugRefusal
  | { outcome: 'group_not_found' | 'address_taken' | 'both_paid' | 'is_paid' | 'erased' }

export type PartnerUpdate = { outcome: 'done'; partner: PartnerRow } | PartnerRefusal

export type NewAddress = Omit<Correction, 'partnerId' | 'from'>

/** Whether a partner's personal data was erased, by its address. */
const isErased = (email: string): boolean => email.endsWith('@erased.invalid')

/** Why the address of a partner is not changed, or null. */
const addressRefusal = async (
  db: Db,
  workspaceId: string,
  { from, to, mayMoveMoney }: Pick<Correction, 'from' | 'to' | 'mayMoveMoney'>,
): Promise<PartnerRefusal | null> => {
  if (isErased(from)) return { outcome: 'erased' }
  const { isTaken, areBothPaid, hasMoney } = await addressState(db, workspaceId, from, to)
  if (isTaken) return { outcome: 'address_taken' }
  if (areBothPaid) return { outcome: 'both_paid' }
  return hasMoney && !mayMoveMoney ? { outcome: 'is_paid' } : null
}

/**
 * Updates the fields that differ, in full or not at all, in two round trips, or three for an
 * address. A former slug still works. A new address applies in all programs of the workspace.
 *
 * @param id a UUID
 * @returns undefined if the workspace has no such partner
 * @throws {Unavailable} if concurrent requests interfered in every round
 */
export const changePartner = async (
  db: Db,
  act: Act,
  id: string,
  patch: Patch<PartnerTerms>,
  address?: NewAddress,
): Promise<PartnerUpdate | undefined> => {
  for (let round = 0; round < ROUNDS; round++) {
    const update = await tryChange(db, act, id, patch, address)
    if (update !== 'lost_race') return update
  }
  throw lostRace('the partners of this program')
}

const tryChange = async (
  db: Db,
  act: Act,
  id: string,
  patch: Patch<PartnerTerms>,
  address: NewAddress | undefined,
): Promise<PartnerUpdate | 'lost_race' | undefined> => {
  const { workspaceId, now } = act
  const [[partner], groups, states] = await db.batch([
    partnerQuery(db, workspaceId, id).compile(),
    groupsOfPartnerQuery(db, workspaceId, id).compile(),
    ...(patch.slug === undefined ? [] : [slugStateQuery(workspaceId, id, patch.slug).compile(db)]),
  ])
  if (!partner || partner.undoneAt) return undefined
  // An erased partner would earn again, and could not be paid.
  if (patch.status === 'approved' && isErased(partner.email)) return { outcome: 'erased' }
  const groupId = patch.groupId?.toLowerCase() ?? patch.groupId
  const group = groups.find((one) => one.id === groupId)
  if (groupId && !group) return { outcome: 'group_not_found' }

  const before: PartnerTerms = {
    name: partner.name,
    slug: partner.slug,
    groupId: partner.groupId,
    reward: partner.reward && rewardTerms(partner.reward),
    status: partner.status,
    documentsReceived: partner.documentsReceivedAt !== null,
    minimumPayoutCents: partner.minimumPayoutCents,
  }
  const changes = diff(before, { ...patch, groupId })
  const { slug, name, status, reward, documentsReceived, minimumPayoutCents } =
    changes?.changed ?? {}
  const slugState = slug === undefined ? undefined : states?.[0]
  const refusal = slug !== undefined && slugState && slugRefusal(slugState, slug)
  if (refusal) return refusal

  const correction = address &&
    address.to !== partner.email && { partnerId: partner.id, from: partner.email, ...address }
  const addressRefused = correction && (await addressRefusal(db, workspaceId, correction))
  if (addressRefused) return addressRefused
  if (!changes && !correction) return { outcome: 'done', partner }

  const { groupId: moved, ...log } = changes?.log ?? {}
  const groupNames = moved && { group: { from: partner.groupName, to: group?.name ?? null } }
  const receivedAt = documentsReceived ? now : null
  const rewardId = reward && newId()
  const saved = await unlessTaken(() =>
    db.batch([
      // The lock of payouts comes first.
      ...(status === 'banned' ? [lockPayouts(workspaceId).compile(db)] : []),
      partnersStay([id], 'no key update').compile(db),
      ...(correction ? correctAddress(act, correction).map((one) => one.compile(db)) : []),
      ...(slug !== undefined && slugState
        ? keepFormerSlug(act, slugState, slug).map((one) => one.compile(db))
        : []),
      ...(reward && rewardId ? [newReward(db, act, rewardId, reward).compile()] : []),
      ...(changes
        ? [
            updateTerms(db, act, 'partners', [id], {
              name,
              slug,
              slug_key: slug === undefined ? undefined : slugKey(slug),
              status,
              group_id: changes.changed.groupId,
              reward_id: rewardId,
              documents_received_at: documentsReceived === undefined ? undefined : receivedAt,
              minimum_payout_cents: minimumPayoutCents,
            }),
            auditEntry(db, {
              ...act,
              action: 'partner.changed',
              subjectId: partner.id,
              details: { email: partner.email, ...log, ...groupNames },
            }).compile(),
          ]
        : []),
      ...(status === 'banned'
        ? [withholdMails(workspaceId, [id], now).compile(db), ...cancelForBan(db, act, [id])]
        : []),
      partnerQuery(db, workspaceId, id).compile(),
    ]),
  )
  if (!saved) return 'lost_race'
  const [changed] = saved.at(-1) as PartnerRow[]
  return changed && { outcome: 'done', partner: changed }
}
