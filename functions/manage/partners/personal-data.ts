import { recordExport } from '../../../lib/audit/audit.queries.ts'
import { actOf, freshMember, member } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { findCustomer } from '../../../lib/customers/customers.queries.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { findPartner } from '../../../lib/partners/lists/partners.queries.ts'
import { eraseCustomer } from '../../../lib/people/erase-customer.queries.ts'
import { erasePartner, STILL_DUE } from '../../../lib/people/erase-partner.queries.ts'
import { exportCustomer, exportPartner } from '../../../lib/people/export.queries.ts'
import type { ErasureResponse, PersonalDataResponse } from '../../../lib/people/people.responses.ts'

const CUSTOMER = '/api/workspaces/:workspace/customers/:id'
const PARTNER = '/api/workspaces/:workspace/partners/:id'

/** GET .../personal-data and POST .../erase of a customer and of a partner. docs/privacy.md. */
export default createRoutes()
  .get(`${CUSTOMER}/personal-data`, member(), expensive(), async (c) => {
    const { db, now, workspace } = c.var
    const { id } = await readById(c, 'customer', findCustomer)
    const data = await exportCustomer(db, workspace.id, id)
    await recordExport(db, actOf(c), {
      action: 'personal_data.exported',
      subjectId: id,
      details: { person: 'customer' },
    })
    return c.json<PersonalDataResponse>({ exportedAt: now, person: 'customer', data })
  })
  .post(`${CUSTOMER}/erase`, freshMember(), expensive(), async (c) => {
    const { db, now } = c.var
    const { id } = await readById(c, 'customer', findCustomer)
    await eraseCustomer(db, actOf(c), id)
    return c.json<ErasureResponse>({ id, erasedAt: now })
  })
  .get(`${PARTNER}/personal-data`, member(), expensive(), async (c) => {
    const { db, now, workspace } = c.var
    const { id, email } = await readById(c, 'partner', findPartner)
    const data = await exportPartner(db, workspace.id, email)
    await recordExport(db, actOf(c), {
      action: 'personal_data.exported',
      subjectId: id,
      details: { person: 'partner' },
    })
    return c.json<PersonalDataResponse>({ exportedAt: now, person: 'partner', data })
  })
  .post(`${PARTNER}/erase`, freshMember(), expensive(), async (c) => {
    const { db, now } = c.var
    const { id, email } = await readById(c, 'partner', findPartner)
    if (!(await erasePartner(db, actOf(c), id, email))) throw new ApiError('conflict', STILL_DUE)
    return c.json<ErasureResponse>({ id, erasedAt: now })
  })
