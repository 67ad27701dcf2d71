/** Rewards of other platforms: shown beside ours, and used for a program or a group. */
import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { checked, type Fields, form } from '../../../lib/http/validate.ts'
import {
  isRewardPlatform,
  pastedRewards,
} from '../../../lib/imports/sources/rewards/pasted-rewards.ts'
import {
  listSourceRewards,
  type ReadingReward,
} from '../../../lib/imports/sources/rewards/source-rewards.queries.ts'
import * as m from '../../../lib/languages/messages.ts'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { changeGroup, listGroups } from '../../../lib/programs/groups.queries.ts'
import { GroupChange } from '../../../lib/programs/groups.schemas.ts'
import { changeProgram, listPrograms } from '../../../lib/programs/programs.queries.ts'
import { ProgramChange } from '../../../lib/programs/programs.schemas.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { jsonOf } from '../../../lib/values/json.ts'
import { RewardsPage } from './import-reward-pages.tsx'

/** The largest page of a list. */
const MAX_PROGRAMS = 200

type State = { rewards?: ReadingReward[]; fields?: Fields; errors?: ErrorDetail[] }

const show = async (c: Context<WorkspaceEnv>, state: State = {}) => {
  const { db, workspace } = c.var
  const [programs, read] = await Promise.all([
    listPrograms(db, workspace.id, { limit: MAX_PROGRAMS }),
    state.rewards ?? listSourceRewards(db, workspace.id),
  ])
  const targets = await Promise.all(
    programs
      .filter(({ id }) => read.some(({ programId }) => programId === id))
      .map(async (program) => ({
        program,
        groups: await listGroups(db, workspace.id, program.id),
      })),
  )
  const base = `/app/${workspace.slug}`
  const children = <RewardsPage {...{ base, programs, targets }} {...state} rewards={read} />
  return renderSection(c, '/import', m.imports_rewards, children, state.errors ? 400 : 200)
}

/** The change that a form asks for, validated as a request of the API. */
const changeIn = ({ target = '', event, reward = '', ...fields }: Fields) => {
  const [kind, id = ''] = target.split('/')
  const terms = jsonOf(reward)
  if (kind === 'program') {
    const { rewardInterval, rewardDurationMonths: months } = fields
    const input = {
      reward: terms,
      rewardInterval,
      rewardDurationMonths: months === undefined ? null : Number(months),
    }
    return { kind, id, ...checked(ProgramChange, input) } as const
  }
  const input = event === 'lead' ? { leadReward: terms } : { saleReward: terms }
  return { kind: 'group', id, ...checked(GroupChange, input) } as const
}

/** /app/:workspace/import/rewards. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/import/rewards', (c) => show(c))
  .post('/app/:workspace/import/rewards', form(), (c) => {
    const fields = c.req.valid('form')
    const { programId = '', platform = '', text = '' } = fields
    const rewards = isRewardPlatform(platform) ? pastedRewards(platform, text) : null
    if (!rewards || !isRewardPlatform(platform)) {
      const errors = [{ path: 'text', message: textsOf(c)(m.imports_rewards_unreadable) }]
      return show(c, { fields, errors })
    }
    return show(c, {
      fields,
      rewards: rewards.map((reward) => ({ ...reward, programId, platform, groups: [] })),
    })
  })
  // The target after signing in again.
  .get('/app/:workspace/import/rewards/use', (c) =>
    c.redirect(`/app/${c.var.workspace.slug}/import/rewards`, 303),
  )
  .post('/app/:workspace/import/rewards/use', freshMembersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const change = changeIn(c.req.valid('form'))
    if (change.errors) return show(c, { errors: change.errors })
    const act = actOf(c)
    const { id } =
      change.kind === 'program'
        ? await found('program', change.id, (id) => changeProgram(db, act, id, change.data))
        : await found('group', change.id, (id) => changeGroup(db, act, id, change.data))
    return c.redirect(`/app/${workspace.slug}/${change.kind}s/${id}?done=saved`, 303)
  })
