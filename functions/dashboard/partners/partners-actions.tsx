/** /app/:workspace/partners/change: changes the partners that a manager selected in the list. */

import type { Context } from 'hono'
import * as z from 'zod'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { type Fields, form } from '../../../lib/http/validate.ts'
import { inEnglish, type Translate } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { ConfirmForm } from '../../../lib/pages/forms/buttons.tsx'
import { Chosen, chosenIn } from '../../../lib/pages/forms/choice.tsx'
import { Select } from '../../../lib/pages/forms/fields.tsx'
import { LinkLine } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import {
  type ChosenPartner,
  changePartners,
  chosenQuery,
  concerns,
  type SharedChange,
} from '../../../lib/partners/changes/change-partners.queries.ts'
import { programsAndGroupsQuery } from '../../../lib/partners/lists/partners.queries.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { groupOptions, type ProgramAndGroup } from '../fields/choices.tsx'
import { chosenPartners, EXPORT_CHOSEN, MAIL_CHOSEN, MOVED_CHOSEN } from './chosen-partners.ts'

/** The value for no group, instead of a group's id. */
const NO_GROUP = 'none'

type PartnerActionsProps = { id: string; base: string; choices: ProgramAndGroup[] }

/** The form below the list, to which its checkboxes belong. */
export const PartnerActions = ({ id, base, choices }: PartnerActionsProps) => {
  const groups = groupOptions(choices)
  return (
    <section>
      <h2>{t(m.partners_chosen_partners)}</h2>
      <form id={id} class="inline" method="post" action={`${base}/partners/change`}>
        {groups.length > 0 && (
          <>
            <Select
              label={t(m.partners_move_to_group)}
              name="toGroup"
              options={[...groups, { value: NO_GROUP, label: t(m.partners_no_group) }]}
            />
            <button type="submit" name="change" value="group" class="quiet">
              {t(m.partners_move)}
            </button>
          </>
        )}
        <button type="submit" name="change" value="approved" class="quiet">
          {t(m.partners_reinstate)}
        </button>
        <button type="submit" name="change" value="banned" class="quiet">
          {t(m.partners_ban)}
        </button>
        <button type="submit" formaction={`${base}${MAIL_CHOSEN}`} class="quiet">
          {t(m.partners_write_an_email)}
        </button>
        <button type="submit" formaction={`${base}${MOVED_CHOSEN}`} class="quiet">
          {t(m.partners_send_weve_moved)}
        </button>
        <button type="submit" formaction={`${base}${EXPORT_CHOSEN}`} class="quiet">
          {t(m.partners_download_csv)}
        </button>
      </form>
    </section>
  )
}

const Change = z.object({
  change: z.enum(['group', 'approved', 'banned'], inEnglish(m.layout_choose_what_to_change)),
  toGroup: z
    .union([z.literal(NO_GROUP), z.uuid(inEnglish(m.partners_choose_a_group))])
    .default(NO_GROUP),
  partners: chosenPartners,
})
type Change = z.output<typeof Change>

/**
 * The requested change, and the partners that it would change.
 * @throws {ApiError} `invalid_body`
 */
const readChange = async (c: Context<WorkspaceEnv>, fields: Fields) => {
  const { db, workspace } = c.var
  const read = Change.safeParse({ ...fields, partners: chosenIn(fields) })
  if (!read.success)
    throw new ApiError(
      'invalid_body',
      read.error.issues[0]?.message ?? textsOf(c)(m.partners_choose),
    )
  const { change, toGroup, partners: ids } = read.data
  const groupId = toGroup === NO_GROUP ? null : toGroup.toLowerCase()
  const shared: SharedChange = change === 'group' ? { groupId } : { status: change }
  const [chosen, choices] = await db.batch([
    chosenQuery(db, workspace.id, ids).compile(),
    programsAndGroupsQuery(db, workspace.id).compile(),
  ])
  const group =
    change === 'group' ? choices.find((choice) => groupId && choice.groupId === groupId) : undefined
  const changed = chosen.filter((partner) => concerns(partner, shared, group?.programId ?? null))
  return {
    change,
    shared,
    changed,
    kept: chosen.length - changed.length,
    groupName: group?.groupName,
  }
}

/** The question of the page, which is also its title. */
const titleOf = (
  t: Translate,
  change: Change['change'],
  count: number,
  group: string | null | undefined,
) => {
  if (count === 0) return t(m.partners_nothing_to_change)
  if (change === 'approved') return t(m.partners_reinstate_chosen, { count })
  if (change === 'banned') return t(m.partners_ban_chosen, { count })
  return group ? t(m.partners_move_to, { count, group }) : t(m.partners_remove_groups, { count })
}

const EFFECTS = {
  group: m.partners_sales_leads_now,
  approved: m.partners_links_work_again,
  banned: m.partners_links_no_longer,
}

/** Why some of the selected partners do not change. */
const KEPT = {
  group: m.partners_kept_group,
  approved: m.partners_kept_approved,
  banned: m.partners_kept_banned,
}

/** Why none of them changes. */
const ALL_KEPT = {
  group: m.partners_all_kept_group,
  approved: m.partners_all_kept_approved,
  banned: m.partners_all_kept_banned,
}

const BUTTONS = { group: m.partners_move, approved: m.partners_reinstate, banned: m.partners_ban }

const Names = ({ base, partners }: { base: string; partners: ChosenPartner[] }) => (
  <ul>
    {partners.map(({ id, name, slug }) => (
      <li>
        <a href={`${base}/partners/${id}`}>{name ?? slug}</a>
      </li>
    ))}
  </ul>
)

const PATH = '/app/:workspace/partners/change'

export default createRoutes<WorkspaceEnv>()
  .post(PATH, form(), async (c) => {
    const t = textsOf(c)
    const base = `/app/${c.var.workspace.slug}`
    const { change, shared, changed, kept, groupName } = await readChange(c, c.req.valid('form'))
    const title = titleOf(t, change, changed.length, groupName)
    const children = (
      <>
        <h1>{title}</h1>
        {changed.length > 0 ? (
          <>
            <p>{t(EFFECTS[change])}</p>
            <Names base={base} partners={changed} />
            {kept > 0 && <p>{t(KEPT[change], { count: kept })}</p>}
            <ConfirmForm
              action={`${base}/partners/change/confirm`}
              button={t(BUTTONS[change])}
              cancel={`${base}/partners`}
            >
              <Chosen ids={changed.map(({ id }) => id)} />
              <input type="hidden" name="change" value={change} />
              {'groupId' in shared && (
                <input type="hidden" name="toGroup" value={shared.groupId ?? NO_GROUP} />
              )}
            </ConfirmForm>
          </>
        ) : (
          <>
            <p>{t(ALL_KEPT[change])}</p>
            <LinkLine href={`${base}/partners`}>{t(m.partners_back_partners)}</LinkLine>
          </>
        )}
      </>
    )
    return renderSection(c, '/partners', title, children)
  })
  .post(`${PATH}/confirm`, freshMembersOnly(), form(), async (c) => {
    const { change, shared, changed } = await readChange(c, c.req.valid('form'))
    const ids = changed.map(({ id }) => id)
    await changePartners(c.var.db, actOf(c), ids, shared)
    const done = change === 'group' ? 'moved' : change
    return c.redirect(`/app/${c.var.workspace.slug}/partners?done=${done}`, 303)
  })
