/** A transfer's metadata at Stripe, by which a database restored from a backup adopts it. */

import { transferGroup } from '../payouts.ts'

/** The metadata of a transfer. It must be the same for each attempt with one idempotency key. */
export type TransferMetadata = {
  payout_id: string
  workspace_id: string
  run_id: string
  program_id: string
  partner_id: string
  /** The cutoff of its run, ISO 8601: it paid what was payable to the partner at that time. */
  cutoff_at: string
}

/** A transfer as Stripe lists it. Amounts are in minor units of ISO 4217. */
export type ListedTransfer = {
  id: string
  account: string
  amountCents: number
  reversedCents: number
  /** Upper case. */
  currency: string
  createdAt: Date
  group: string | null
  metadata: Partial<Record<string, string>>
}

/** A transfer of a workspace's payout. Ids are null if the metadata lacks them. */
export type OurTransfer = Omit<ListedTransfer, 'group' | 'metadata'> & {
  payoutId: string
  runId: string | null
  programId: string | null
  partnerId: string | null
  cutoffAt: Date
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

const uuidIn = (text: string | undefined): string | null => (text && UUID.test(text) ? text : null)

/**
 * The payout in a transfer's metadata; null if it is of another workspace, or of something else
 * that the merchant uses Stripe for. A transfer without Tributary's metadata is not Tributary's,
 * whatever its transfer_group.
 */
export const ourTransfer = (
  { group, metadata, ...transfer }: ListedTransfer,
  workspaceId: string,
): OurTransfer | null => {
  const payoutId = uuidIn(metadata.payout_id)
  if (metadata.workspace_id !== workspaceId || !payoutId || group !== transferGroup(payoutId))
    return null
  if (transfer.amountCents <= 0 || !/^[A-Z]{3}$/.test(transfer.currency)) return null
  const cutoffAt = new Date(metadata.cutoff_at ?? '')
  return {
    ...transfer,
    payoutId,
    runId: uuidIn(metadata.run_id),
    programId: uuidIn(metadata.program_id),
    partnerId: uuidIn(metadata.partner_id),
    cutoffAt: Number.isNaN(cutoffAt.getTime()) ? transfer.createdAt : cutoffAt,
  }
}
