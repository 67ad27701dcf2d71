import type { Child } from 'hono/jsx'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Field } from '../../../lib/pages/forms/fields.tsx'
import type { Reading } from '../../../lib/pages/forms/forms.ts'
import { readReward } from '../../../lib/pages/forms/read-reward.ts'
import { leadExampleWords, saleExampleOf } from '../../../lib/pages/forms/reward-example.ts'
import {
  RewardInputs,
  rewardFields,
  rewardLabels,
} from '../../../lib/pages/forms/reward-fields.tsx'
import { describeReward } from '../../../lib/pages/forms/reward-words.ts'
import { Done, Fact, LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { type Shown, t } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import type { Group } from '../../../lib/programs/groups.queries.ts'
import type { Program } from '../../../lib/programs/programs.queries.ts'
import type { GroupTerms } from '../../../lib/programs/programs.ts'
import type { Workspace } from '../../../lib/tenancy/workspaces/workspaces.queries.ts'
import type { WhatIf } from '../../../lib/tracking/what-if/what-if.service.ts'
import { LeadRulesLink, RulesLink } from '../rewards/rules-link.tsx'
import { Preview, SaveOrPreview, TERMS_FORM } from './what-if.tsx'

const LABELS = { name: m.layout_name, ...rewardLabels('saleReward'), ...rewardLabels('leadReward') }

export const groupFields = ({ name, saleReward, leadReward }: Group): Fields => ({
  name,
  ...rewardFields('saleReward', saleReward),
  ...rewardFields('leadReward', leadReward),
})

/** A form's fields as API input. A null reward removes the group's own reward. */
export const readGroup = (fields: Fields): Reading => {
  const [sale, lead] = [readReward('saleReward', fields), readReward('leadReward', fields)]
  return {
    input: { name: fields.name ?? '', saleReward: sale.reward, leadReward: lead.reward },
    problems: [...sale.problems, ...lead.problems],
  }
}

/** Examples of a group's rewards, under the terms of its program. */
const examplesOf = (
  program: Program,
  { saleReward, leadReward }: GroupTerms,
  label: string,
  now: Date,
) => ({
  sale: `${label}: ${saleExampleOf({ ...program, reward: saleReward ?? program.reward }, now, money)}`,
  lead: `${label}: ${leadExampleWords(leadReward, money)}`,
})

type FormProps = {
  program: Program
  /** The path that saves the form, and its buttons. */
  action: string
  children: Child
  fields: Fields
  errors: ErrorDetail[] | undefined
  examples?: ReturnType<typeof examplesOf>
}

const GroupForm = ({ program, action, children, fields, errors, examples }: FormProps) => {
  return (
    <form method="post" action={action} id={TERMS_FORM}>
      <Field
        label={t(LABELS.name)}
        name="name"
        required
        maxlength={255}
        autocomplete="off"
        value={fields.name}
        errors={errors}
      />
      <RewardInputs
        name="saleReward"
        legend={t(m.layout_sale_reward)}
        none={t(m.layout_program_reward)}
        example={examples?.sale}
        program={program}
        {...{ fields, errors }}
      />
      <RewardInputs
        name="leadReward"
        legend={t(m.layout_lead_reward)}
        event="lead"
        none={t(m.layout_no_reward)}
        example={examples?.lead}
        {...{ fields, errors }}
      />
      {children}
    </form>
  )
}

type NewProps = { base: string; program: Program; fields?: Fields; errors?: ErrorDetail[] }

export const NewGroupPage = ({ base, program, fields = {}, errors }: NewProps) => (
  <>
    <LinkLine href={`${base}/programs/${program.id}`}>{program.name}</LinkLine>
    <h1>{t(m.layout_new_group)}</h1>
    <Problem errors={errors} labels={LABELS} />
    <GroupForm
      action={`${base}/programs/${program.id}/groups/new`}
      {...{ program, fields, errors }}
    >
      <button type="submit">{t(m.groups_create)}</button>
    </GroupForm>
  </>
)

const SAVE = m.groups_save

type ChangeProps = Pick<FormProps, 'program' | 'fields' | 'errors' | 'examples'> & {
  base: string
  group: Group
}

const ChangeForm = ({ base, group, ...form }: ChangeProps) => {
  const action = `${base}/groups/${group.id}`
  return (
    <GroupForm action={action} {...form}>
      <SaveOrPreview action={action} label={t(SAVE)} />
    </GroupForm>
  )
}

type GroupPreviewPageProps = {
  base: string
  program: Program
  group: Group
  entered: GroupTerms
  now: Date
  fields: Fields
  whatIf: WhatIf
}

/** What the changed rewards would have earned, and the form that saves them. */
export const GroupPreviewPage = ({
  base,
  program,
  group,
  entered,
  now,
  fields,
  whatIf,
}: GroupPreviewPageProps) => (
  <>
    <LinkLine href={`${base}/groups/${group.id}`}>{group.name}</LinkLine>
    <h1>{t(m.layout_preview)}</h1>
    <Preview {...{ base, whatIf }} label={t(SAVE)} />
    <h2>{t(m.groups_rewards)}</h2>
    <ChangeForm
      {...{ base, program, group, fields }}
      errors={undefined}
      examples={examplesOf(program, entered, t(m.groups_entered), now)}
    />
  </>
)

type GroupProps = {
  workspace: Workspace
  program: Program
  group: Group
  now: Date
  fields: Fields
  errors?: ErrorDetail[]
  done?: Shown | undefined
}

export const GroupPage = ({ workspace, program, group, now, fields, errors, done }: GroupProps) => {
  const base = `/app/${workspace.slug}`
  return (
    <>
      <LinkLine href={`${base}/programs/${program.id}`}>{program.name}</LinkLine>
      <h1>{group.name}</h1>
      <Done message={done} />
      <Problem errors={errors} labels={LABELS} />
      <LinkLine href={`${base}/partners?groupId=${group.id}`}>{t(m.layout_view_partners)}</LinkLine>
      {mayOpen(workspace, 'POST /groups/:id') ? (
        <>
          <RulesLink path={`${base}/groups/${group.id}`} reward={group.saleReward} />
          <LeadRulesLink path={`${base}/groups/${group.id}`} reward={group.leadReward} />
          <ChangeForm
            {...{ base, program, group, fields, errors }}
            examples={examplesOf(program, group, t(m.groups_saved), now)}
          />
        </>
      ) : (
        <dl class="facts">
          <Fact name={m.layout_sale_reward}>
            {describeReward(group.saleReward ?? program.reward)}
          </Fact>
          <Fact name={m.layout_lead_reward}>
            {group.leadReward ? describeReward(group.leadReward, 'lead') : t(m.layout_no_reward)}
          </Fact>
        </dl>
      )}
    </>
  )
}
