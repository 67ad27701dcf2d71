import type { Context } from 'hono'
import { actOf } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { type Fields, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import type { Program } from '../../../lib/programs/programs.queries.ts'
import { conflictsOf } from '../../../lib/rules/rewards/conflicts.ts'
import type { RewardTerms } from '../../../lib/rules/rewards/rewards.ts'
import { tierNames } from '../../../lib/rules/tiers/tiers.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import type { SoldProduct } from '../../../lib/tracking/events/sold-products.queries.ts'
import type { WhatIf } from '../../../lib/tracking/what-if/what-if.service.ts'
import { type Draft, edit, readDraft } from './draft.ts'
import { REWARD_PAGES, type RewardOwner } from './owners.ts'
import { offeredProducts, type ProductsEnv } from './products.ts'
import { checkDraft, draftOf } from './reward-draft.ts'
import { RewardPage, titleOf } from './reward-page.tsx'
import type { Outcome, Trial } from './try-fields.tsx'
import { leadTrial } from './try-lead.tsx'
import { readSale, trySale, usualSale } from './try-sale.ts'

type C = Context<ProductsEnv>

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
  const { now, workspace } = c.var
  const { draft, fields, focus = null, isChecked = false, whatIf } = shown
  // A lead has none.
  const products = owner.event === 'sale' ? await offeredProducts(c) : []
  const { data, errors = [] } = checkDraft(draft, owner)
  const reward = errors.length > 0 ? undefined : (data ?? owner.inherited)
  const { event, program } = owner
  const trial =
    event === 'lead'
      ? leadTrial(fields, program, reward, now)
      : saleTrial(fields, program, reward ?? undefined, products, now)
  const rules = data?.rules ?? []
  const problems: ErrorDetail[] = isChecked ? errors : []
  const children = (
    <RewardPage
      base={`/app/${workspace.slug}`}
      conflicts={conflictsOf(rules, tierNames(program.tiers))}
      done={fields === NONE ? noticeFor(DONE, c.req.query('done')) : undefined}
      errors={problems}
      {...{ owner, draft, focus, rules, trial, products, whatIf }}
    />
  )
  return renderPage(
    c,
    {
      title: textsOf(c)(titleOf(owner), { name: owner.name }),
      section: owner.section,
      styles: ['/reward-rules.css'],
      scripts: ['/reward-rules.js'],
      children,
    },
    problems.length + trial.errors.length > 0 ? 400 : 200,
  )
}

/** What a sale earns. @param reward undefined while the rules are incomplete */
const saleTrial = (
  entered: Fields,
  program: Program,
  reward: RewardTerms | undefined,
  products: SoldProduct[],
  now: Date,
): Trial => {
  const usual = usualSale(reward ?? program.reward, now)
  const fields = entered['try.amount'] === undefined ? { ...usual, ...entered } : entered
  const { sale, errors } = readSale(fields, products, now)
  let outcome: Outcome = { why: m.rewards_try_incomplete }
  if (errors) outcome = { why: m.rewards_try_invalid }
  else if (reward) outcome = { tried: trySale(sale, fields, program, reward) }
  return { fields, errors: errors ?? [], outcome }
}

/** Of a page that is opened. */
const NONE: Fields = {}

const pathOf = (c: C, page: string) =>
  `/app/${c.var.workspace.slug}/${page.replace(':id', encodeURIComponent(c.req.param('id') ?? ''))}`

/** The pages that build the rewards of a program, of a group, and of a partner. */
const routes = createRoutes<ProductsEnv>()

for (const [page, load] of Object.entries(REWARD_PAGES)) {
  const path = `/app/:workspace/${page}`
  routes
    .get(path, async (c) => {
      const owner = await load(c)
      return show(c, owner, { draft: draftOf(owner.reward), fields: NONE })
    })
    .post(path, freshMembersOnly(), form({ maxBytes: MAX_FORM_BYTES }), async (c) => {
      const fields = c.req.valid('form')
      const draft = readDraft(fields)
      const owner = await load(c)
      const { data, errors } = checkDraft(draft, owner)
      if (errors) return show(c, owner, { draft, fields, isChecked: true })
      await owner.save(actOf(c), data)
      return c.redirect(`${pathOf(c, page)}?done=saved`, 303)
    })
    // The target after signing in again, or for an address that was typed.
    .get(`${path}/edit`, (c) => c.redirect(pathOf(c, page), 303))
    .post(`${path}/edit`, form({ maxBytes: MAX_FORM_BYTES }), async (c) => {
      const fields = c.req.valid('form')
      const isTried = fields.do === 'try'
      const { draft, focus } = edit(readDraft(fields), fields.do)
      return show(c, await load(c), { draft, fields, focus, isChecked: isTried })
    })
    .get(`${path}/what-if`, (c) => c.redirect(pathOf(c, page), 303))
    .post(`${path}/what-if`, expensive(), form({ maxBytes: MAX_FORM_BYTES }), async (c) => {
      const fields = c.req.valid('form')
      const draft = readDraft(fields)
      const owner = await load(c)
      const { data, errors } = checkDraft(draft, owner)
      if (errors) return show(c, owner, { draft, fields, isChecked: true })
      return show(c, owner, { draft, fields, whatIf: await owner.whatIf(data) })
    })
}

export default routes
