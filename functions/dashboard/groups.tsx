import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { found } from '../../lib/http/found.ts'
import { type Fields, form } from '../../lib/http/validate.ts'
import { Field } from '../../lib/pages/fields.tsx'
import { checkForm, type Reading } from '../../lib/pages/forms.ts'
import { Done, noticeFor, Problem } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { leadExampleWords, saleExampleOf } from '../../lib/pages/reward-example.tsx'
import {
  describeReward,
  RewardInputs,
  readReward,
  rewardFields,
  rewardLabels,
} from '../../lib/pages/reward-fields.tsx'
import { changeGroup, createGroup, findGroup, type Group } from '../../lib/workspace/groups.queries.ts'
import { NewGroup } from '../../lib/workspace/groups.schemas.ts'
import { findProgram, type Program } from '../../lib/workspace/programs.queries.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'

const DONE = {
  created: 'Group created. Assign partners to it on their pages.',
  saved: 'Group saved. Sales that were paid before keep their rewards.',
}

const LABELS = { name: 'Name', ...rewardLabels('saleReward'), ...rewardLabels('leadReward') }

const groupFields = ({ name, saleReward, leadReward }: Group): Fields => ({
  name,
  ...rewardFields('saleReward', saleReward),
  ...rewardFields('leadReward', leadReward),
})

/** A form's fields as API input. A null reward removes the group's own. */
const readGroup = (fields: Fields): Reading => {
  const [sale, lead] = [readReward('saleReward', fields), readReward('leadReward', fields)]
  return {
    input: { name: fields.name ?? '', saleReward: sale.reward, leadReward: lead.reward },
    problems: [...sale.problems, ...lead.problems],
  }
}

/** What the saved rewards earn. */
type Examples = { sale: string; lead: string }

const examplesOf = (program: Program, { saleReward, leadReward }: Group, now: Date): Examples => ({
  sale: saleExampleOf({ ...program, reward: saleReward ?? program.reward }, now),
  lead: leadExampleWords(leadReward),
})

type FormProps = { fields: Fields; errors: ErrorDetail[] | undefined; button: string; examples?: Examples }

const GroupForm = ({ fields, errors, button, examples }: FormProps) => {
  return (
    <form method="post">
      <Field
        label={LABELS.name}
        name="name"
        required
        maxlength={255}
        autocomplete="off"
        value={fields.name}
        errors={errors}
      />
      <RewardInputs
        name="saleReward"
        legend="Sale reward"
        none="Program reward"
        example={examples?.sale}
        {...{ fields, errors }}
      />
      <RewardInputs
        name="leadReward"
        legend="Lead reward"
        event="lead"
        none="No reward"
        example={examples?.lead}
        {...{ fields, errors }}
      />
      <button type="submit">{button}</button>
    </form>
  )
}

type NewProps = { base: string; program: Program; fields?: Fields; errors?: ErrorDetail[] }

const NewGroupPage = ({ base, program, fields = {}, errors }: NewProps) => (
  <>
    <p>
      <a href={`${base}/programs/${program.id}`}>{program.name}</a>
    </p>
    <h1>New group</h1>
    <Problem errors={errors} labels={LABELS} />
    <GroupForm fields={fields} errors={errors} button="Create group" />
  </>
)

type GroupProps = {
  workspace: Workspace
  program: Program
  group: Group
  now: Date
  fields: Fields
  errors?: ErrorDetail[]
  done?: string | undefined
}

const GroupPage = ({ workspace, program, group, now, fields, errors, done }: GroupProps) => {
  const base = `/app/${workspace.slug}`
  return (
    <>
      <p>
        <a href={`${base}/programs/${program.id}`}>{program.name}</a>
      </p>
      <h1>{group.name}</h1>
      <Done message={done} />
      <Problem errors={errors} labels={LABELS} />
      <p>
        <a href={`${base}/partners?groupId=${group.id}`}>View partners</a>
      </p>
      {workspace.role === 'manager' ? (
        <GroupForm {...{ fields, errors }} button="Save group" examples={examplesOf(program, group, now)} />
      ) : (
        <dl class="facts">
          <dt>Sale reward</dt>
          <dd>{describeReward(group.saleReward ?? program.reward)}</dd>
          <dt>Lead reward</dt>
          <dd>{group.leadReward ? describeReward(group.leadReward, 'lead') : 'No reward'}</dd>
        </dl>
      )}
    </>
  )
}

/** The pages that create and change a program's groups. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/programs/:id/groups/new', managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const program = await found('program', c.req.param('id'), (id) => findProgram(db, workspace.id, id))
    const children = <NewGroupPage base={`/app/${workspace.slug}`} program={program} />
    return renderPage(c, { title: 'New group', section: '/programs', children })
  })
  .post('/app/:workspace/programs/:id/groups/new', managersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const fields = c.req.valid('form')
    const program = await found('program', c.req.param('id'), (id) => findProgram(db, workspace.id, id))
    const { data, errors } = checkForm(NewGroup, readGroup(fields))
    if (errors) {
      const children = <NewGroupPage {...{ base, program, fields, errors }} />
      return renderPage(c, { title: 'New group', section: '/programs', children }, 400)
    }
    const { id } = await createGroup(db, actOf(c), program.id, data)
    return c.redirect(`${base}/groups/${id}?done=created`, 303)
  })
  .get('/app/:workspace/groups/:id', async (c) => {
    const { db, now, workspace } = c.var
    const group = await found('group', c.req.param('id'), (id) => findGroup(db, workspace.id, id))
    const program = await found('program', group.programId, (id) => findProgram(db, workspace.id, id))
    const done = noticeFor(DONE, c.req.query('done'))
    const children = <GroupPage {...{ workspace, program, group, now, done }} fields={groupFields(group)} />
    return renderPage(c, { title: group.name, section: '/programs', children })
  })
  .post('/app/:workspace/groups/:id', managersOnly(), form(), async (c) => {
    const { db, now, workspace } = c.var
    const fields = c.req.valid('form')
    const { data, errors } = checkForm(NewGroup, readGroup(fields))
    if (errors) {
      const group = await found('group', c.req.param('id'), (id) => findGroup(db, workspace.id, id))
      const program = await found('program', group.programId, (id) => findProgram(db, workspace.id, id))
      const children = <GroupPage {...{ workspace, program, group, now, fields, errors }} />
      return renderPage(c, { title: group.name, section: '/programs', children }, 400)
    }
    const { id } = await found('group', c.req.param('id'), (id) => changeGroup(db, actOf(c), id, data))
    return c.redirect(`/app/${workspace.slug}/groups/${id}?done=saved`, 303)
  })
