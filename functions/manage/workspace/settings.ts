import type { Context } from 'hono'
import { actOf, freshMember, reader, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { isConfirmedByPasskey, passkeyRequired } from '../../../lib/auth/passkey-for-payouts.ts'
import { changeById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { body } from '../../../lib/http/validate.ts'
import {
  decideLimitRequest,
  findLimitRequest,
} from '../../../lib/tenancy/settings/approval-limit.queries.ts'
import { LIMIT_REFUSALS } from '../../../lib/tenancy/settings/approval-limit.ts'
import {
  changeSettings,
  MODE_IN_USE,
  readSettings,
} from '../../../lib/tenancy/settings/settings.queries.ts'
import type { SettingsResponse } from '../../../lib/tenancy/settings/settings.responses.ts'
import { SettingsChange } from '../../../lib/tenancy/settings/settings.schemas.ts'

const settingsResponse = async ({
  var: { db, workspace },
}: Context<WorkspaceEnv>): Promise<SettingsResponse> => ({
  ...(await readSettings(db, workspace.id)),
  limitRequest: await findLimitRequest(db, workspace.id),
})

const pageOf = (c: Context<WorkspaceEnv>): string =>
  new URL(`/app/${c.var.workspace.slug}/settings`, c.req.url).href

/** Approves or declines the request of the URL. */
const decide = (wanted: 'approve' | 'decline') => async (c: Context<WorkspaceEnv>) => {
  const { refusal } = await changeById(c, 'limit request', decideLimitRequest, {
    wanted,
    url: pageOf(c),
  })
  if (refusal) throw new ApiError('conflict', LIMIT_REFUSALS[refusal])
  return c.json(await settingsResponse(c))
}

const PATH = '/api/workspaces/:workspace/settings'

/** /settings: the settings of the whole workspace. */
export default createRoutes()
  .get(PATH, reader(), async (c) => c.json(await settingsResponse(c)))
  .patch(PATH, freshMember(), body(SettingsChange), async (c) => {
    const { payoutsRequirePasskey: wanted } = c.req.valid('json')
    if (
      wanted !== undefined &&
      wanted !== c.var.workspace.payoutsRequirePasskey &&
      !isConfirmedByPasskey(c)
    )
      throw passkeyRequired()
    const settings = await changeSettings(c.var.db, actOf(c), c.req.valid('json'), pageOf(c))
    if (!settings) throw new ApiError('conflict', MODE_IN_USE)
    return c.json(settings satisfies SettingsResponse)
  })
  .post(`${PATH}/limit-requests/:id/approve`, freshMember(), decide('approve'))
  .post(`${PATH}/limit-requests/:id/decline`, freshMember(), decide('decline'))
