import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { type Fields, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { conflictsOf } from '../../../lib/rules/rewards/conflicts.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { listSoldProducts } from '../../../lib/tracking/events/sold-products.queries.ts'
import type { WhatIf } from '../../../lib/tracking/what-if/what-if.service.ts'
import { type Draft, edit, readDraft } from './draft.ts'
import { OWNERS, type OwnerKind, type RewardOwner } from './owners.ts'
import { checkDraft, draftOf } from './reward-draft.ts'
import { RewardPage } from './reward-page.tsx'
import type { Outcome } from './try-fields.tsx'
import { readSale, trySale, usualSale } from './try-sale.ts'

type C = Context<WorkspaceEnv>

const DONE = { saved: m.rewards_saved }

/** With the largest reward: 30 rules of 20 conditions. */
const MAX_FORM_BYTES = 512 * 1024

type Shown = {
  draft: Draft
  fields: Fields
  focus?: string | null
  /** Whether the errors of the rules are shown, or the form is still being filled in. */
  isChecked?: boolean
  whatIf?: WhatIf
}

const show = async (c: C, owner: RewardOwner, shown: Shown) => {
  const { db, now, workspace } = c.var
  const { draft, fields, focus = null, isChecked = false, whatIf } = shown
  const products = await listSoldProducts(db, workspace.id)
  const { data, errors = [] } = checkDraft(draft, owner.otherwise !== undefined)
  const reward = data ?? (errors.length > 0 ? null : owner.inherited)
  const asked = fields['try.amount'] === undefined ? usualSale(reward ?? owner.inherited, now) : {}
  const tried = { ...asked, ...fields }
  const sale = readSale(tried, products, now)
  let outcome: Outcome = { why: m.rewards_try_incomplete }
  if (sale.errors) outcome = { why: m.rewards_try_invalid }
  else if (reward) outcome = { tried: trySale(sale.sale, tried, owner.program, reward) }
  const rules = data?.rules ?? []
  const problems: ErrorDetail[] = isChecked ? errors : []
  const wrong = sale.errors ?? []
  const children = (
    <RewardPage
      base={`/app/${workspace.slug}`}
      conflicts={conflictsOf(rules)}
      trial={{ fields: tried, errors: wrong, outcome }}
      done={fields === NONE ? noticeFor(DONE, c.req.query('done')) : undefined}
      errors={problems}
      {...{ owner, draft, focus, rules, products, whatIf }}
    />
  )
  return renderPage(
    c,
    {
      title: textsOf(c)(m.rewards_of, { name: owner.name }),
      section: owner.section,
      styles: ['/reward-rules.css'],
      children,
    },
    problems.length + wrong.length > 0 ? 400 : 200,
  )
}

/** Of a page that is opened. */
const NONE: Fields = {}

const pathOf = (c: C, list: OwnerKind) =>
  `/app/${c.var.workspace.slug}/${list}/${encodeURIComponent(c.req.param('id') ?? '')}/reward`

/** The pages that build the reward of a program, of a group, and of a partner. */
const routes = createRoutes<WorkspaceEnv>()

for (const list of ['programs', 'groups', 'partners'] as const) {
  const path = `/app/:workspace/${list}/:id/reward`
  const load = OWNERS[list]
  routes
    .get(path, async (c) => {
      const owner = await load(c)
      return show(c, owner, { draft: draftOf(owner.reward), fields: NONE })
    })
    .post(path, freshMembersOnly(), form({ maxBytes: MAX_FORM_BYTES }), async (c) => {
      const fields = c.req.valid('form')
      const draft = readDraft(fields)
      const owner = await load(c)
      const { data, errors } = checkDraft(draft, owner.otherwise !== undefined)
      if (errors) return show(c, owner, { draft, fields, isChecked: true })
      await owner.save(actOf(c), data)
      return c.redirect(`${pathOf(c, list)}?done=saved`, 303)
    })
    // The target after signing in again, or for an address that was typed.
    .get(`${path}/edit`, (c) => c.redirect(pathOf(c, list), 303))
    .post(`${path}/edit`, form({ maxBytes: MAX_FORM_BYTES }), async (c) => {
      const fields = c.req.valid('form')
      const isTried = fields.do === 'try'
      const { draft, focus } = edit(readDraft(fields), fields.do)
      return show(c, await load(c), { draft, fields, focus, isChecked: isTried })
    })
    .get(`${path}/what-if`, (c) => c.redirect(pathOf(c, list), 303))
    .post(`${path}/what-if`, expensive(), form({ maxBytes: MAX_FORM_BYTES }), async (c) => {
      const fields = c.req.valid('form')
      const draft = readDraft(fields)
      const owner = await load(c)
      const { data, errors } = checkDraft(draft, owner.otherwise !== undefined)
      if (errors) return show(c, owner, { draft, fields, isChecked: true })
      return show(c, owner, { draft, fields, whatIf: await owner.whatIf(data) })
    })
}

export default routes
