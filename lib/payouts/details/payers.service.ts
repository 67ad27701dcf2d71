/** Who pays in the name of a workspace: saves it with its IBAN encrypted. */
import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../auth/access.ts'
import { rpc } from '../../http/rpc/rpc.ts'
import type { PayoutsService } from '../payouts.rpc.ts'
import type { Payer, StoredPayer } from './payers.queries.ts'
import { readPayer, savePayer } from './payers.queries.ts'
import { maskIban } from './payment-details.ts'

export type SealEnv = WorkspaceEnv & { Bindings: { PAYOUTS: Pick<PayoutsService, 'seal'> } }

type Change = { [Field in keyof Payer]?: Payer[Field] | undefined } & { name: string }

/** @param change its `iban`: undefined keeps the present one, null removes it */
export const changePayer = async (
  c: Context<SealEnv>,
  { iban, ...change }: Change,
): Promise<StoredPayer> => {
  const { db, workspace } = c.var
  const before = await readPayer(db, workspace.id)
  const sealed = iban ? await rpc('payouts', c.env.PAYOUTS.seal(workspace.id, iban)) : null
  const kept = iban === undefined
  const payer: StoredPayer = {
    name: change.name,
    street: change.street ?? null,
    postalCode: change.postalCode ?? null,
    city: change.city ?? null,
    country: change.country ?? null,
    vatId: change.vatId ?? null,
    ibanCiphertext: kept ? before.ibanCiphertext : sealed,
    ibanMasked: kept ? before.ibanMasked : iban ? maskIban(iban) : null,
  }
  await savePayer(db, actOf(c), payer)
  return payer
}
