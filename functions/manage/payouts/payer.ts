import { freshMember, member } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { body } from '../../../lib/http/validate.ts'
import { readPayer, type StoredPayer } from '../../../lib/payouts/details/payers.queries.ts'
import type { PayerResponse } from '../../../lib/payouts/details/payers.responses.ts'
import { PayerChange } from '../../../lib/payouts/details/payers.schemas.ts'
import { changePayer, type SealEnv } from '../../../lib/payouts/details/payers.service.ts'

const payerResponse = ({
  ibanCiphertext: _,
  ibanMasked: iban,
  ...payer
}: StoredPayer): PayerResponse => ({
  ...payer,
  iban,
})

/** /payer: the company that pays, for bank files and documents. */
export default createRoutes<SealEnv>()
  .get('/api/workspaces/:workspace/payer', member(), async (c) =>
    c.json(payerResponse(await readPayer(c.var.db, c.var.workspace.id))),
  )
  .put('/api/workspaces/:workspace/payer', freshMember(), body(PayerChange), async (c) =>
    c.json(payerResponse(await changePayer(c, c.req.valid('json')))),
  )
