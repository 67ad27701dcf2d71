/** /app/:workspace/partners/change: what managers change of the partners that they chose in the list. */
import type { Context } from 'hono'
import * as z from 'zod'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { type Fields, form } from '../../lib/http/validate.ts'
import { Chosen, chosenIn } from '../../lib/pages/choice.tsx'
import { Select } from '../../lib/pages/fields.tsx'
import { ConfirmForm } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { counted } from '../../lib/plural.ts'
import {
  type ChosenPartner,
  changePartners,
  chosenQuery,
  concerns,
  type SharedChange,
} from '../../lib/workspace/change-partners.queries.ts'
import { programsAndGroupsQuery } from '../../lib/workspace/partners.queries.ts'
import { groupOptions, type ProgramAndGroup } from './choices.tsx'
import { chosenPartners, EXPORT_CHOSEN, MAIL_CHOSEN, MOVED_CHOSEN } from './chosen-partners.ts'

/** In the place of a group's id. */
const NO_GROUP = 'none'

/** The form below the list, to which its checkboxes belong. */
export const PartnerActions = ({
  id,
  base,
  choices,
}: {
  id: string
  base: string
  choices: ProgramAndGroup[]
}) => {
  const groups = groupOptions(choices)
  return (
    <section>
      <h2>Chosen partners</h2>
      <form id={id} class="inline" method="post" action={`${base}/partners/change`}>
        {groups.length > 0 && (
          <>
            <Select
              label="Move to group"
              name="toGroup"
              options={[...groups, { value: NO_GROUP, label: 'No group' }]}
            />
            <button type="submit" name="change" value="group" class="quiet">
              Move
            </button>
          </>
        )}
        <button type="submit" name="change" value="approved" class="quiet">
          Reinstate
        </button>
        <button type="submit" name="change" value="banned" class="quiet">
          Ban
        </button>
        <button type="submit" formaction={`${base}${MAIL_CHOSEN}`} class="quiet">
          Write an email
        </button>
        <button type="submit" formaction={`${base}${MOVED_CHOSEN}`} class="quiet">
          Send “We’ve moved”
        </button>
        <button type="submit" formaction={`${base}${EXPORT_CHOSEN}`} class="quiet">
          Download CSV
        </button>
      </form>
    </section>
  )
}

const Change = z.object({
  change: z.enum(['group', 'approved', 'banned'], 'Choose what to change.'),
  toGroup: z.union([z.literal(NO_GROUP), z.uuid('Choose a group.')]).default(NO_GROUP),
  partners: chosenPartners,
})

/** What the form asks for, and for which partners that makes a difference. @throws {ApiError} `invalid_body` */
const readChange = async (c: Context<WorkspaceEnv>, fields: Fields) => {
  const { db, workspace } = c.var
  const read = Change.safeParse({ ...fields, partners: chosenIn(fields) })
  if (!read.success) throw new ApiError('invalid_body', read.error.issues[0]?.message ?? 'Choose partners.')
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
  return { change, shared, changed, kept: chosen.length - changed.length, groupName: group?.groupName }
}

const WORDS = {
  group: (count: string, group: string | null | undefined) =>
    group ? `Move ${count} to “${group}”?` : `Remove ${count} from their groups?`,
  approved: (count: string) => `Reinstate ${count}?`,
  banned: (count: string) => `Ban ${count}?`,
}

const EFFECTS = {
  group: 'Sales and leads from now on earn by the rewards of the new group.',
  approved: 'Their links work again.',
  banned:
    'Their links no longer work, and payouts that were not sent yet are canceled. Sales that were paid before are still earned.',
}

/** Why a chosen partner is not changed. */
const KEPT = {
  group: 'they are in this group already, or it is another program’s',
  approved: 'they are not banned',
  banned: 'they are banned already',
}

const BUTTONS = { group: 'Move', approved: 'Reinstate', banned: 'Ban' }

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
  .post(PATH, managersOnly(), form(), async (c) => {
    const base = `/app/${c.var.workspace.slug}`
    const { change, shared, changed, kept, groupName } = await readChange(c, c.req.valid('form'))
    const title = WORDS[change](counted(changed.length, 'partner'), groupName)
    const children = (
      <>
        <h1>{changed.length > 0 ? title : 'Nothing to change'}</h1>
        {changed.length > 0 ? (
          <>
            <p>{EFFECTS[change]}</p>
            <Names base={base} partners={changed} />
            {kept > 0 && (
              <p>
                {counted(kept, 'chosen partner')} stay as they are: {KEPT[change]}.
              </p>
            )}
            <ConfirmForm
              action={`${base}/partners/change/confirm`}
              button={BUTTONS[change]}
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
            <p>The chosen partners stay as they are: {KEPT[change]}.</p>
            <p>
              <a href={`${base}/partners`}>Back to the partners</a>
            </p>
          </>
        )}
      </>
    )
    return renderPage(c, { title, section: '/partners', children })
  })
  .post(`${PATH}/confirm`, managersOnly(), form(), async (c) => {
    const { change, shared, changed } = await readChange(c, c.req.valid('form'))
    const ids = changed.map(({ id }) => id)
    await changePartners(c.var.db, actOf(c), ids, shared)
    const done = change === 'group' ? 'moved' : change
    return c.redirect(`/app/${c.var.workspace.slug}/partners?done=${done}`, 303)
  })
