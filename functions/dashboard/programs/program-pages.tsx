import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import type { StoredBrand } from '../../../lib/brand/brands.queries.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Listed } from '../../../lib/http/lists.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { bonusesWords, tiersWords } from '../../../lib/languages/tier-words.ts'
import type { FormState } from '../../../lib/pages/forms/fields.tsx'
import {
  describeInterval,
  PROGRAM_LABELS,
  ProgramInputs,
} from '../../../lib/pages/forms/program-fields.tsx'
import { saleExampleOf } from '../../../lib/pages/forms/reward-example.ts'
import { describeReward, pageStyle } from '../../../lib/pages/forms/reward-words.ts'
import { describeSchedule } from '../../../lib/pages/forms/schedule-fields.tsx'
import {
  ButtonLine,
  Copyable,
  Done,
  Fact,
  LinkLine,
  Problem,
} from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { LinkCell, NextPage, Table } from '../../../lib/pages/tables/table.tsx'
import type { Group } from '../../../lib/programs/groups.queries.ts'
import type { Program } from '../../../lib/programs/programs.queries.ts'
import type { ProgramTerms } from '../../../lib/programs/programs.ts'
import type { Workspace } from '../../../lib/tenancy/workspaces/workspaces.queries.ts'
import { snippetTag } from '../../../lib/tracking/clicks/snippet-version.ts'
import type { WhatIf } from '../../../lib/tracking/what-if/what-if.service.ts'
import { RulesLink } from '../rewards/rules-link.tsx'
import { BRAND_LABELS, Branding } from './branding.tsx'
import { Preview, SaveOrPreview, TERMS_FORM } from './what-if.tsx'

type ProgramsPageProps = { workspace: Workspace; programs: Listed<Program>; url: string }

export const ProgramsPage = ({ workspace, programs, url }: ProgramsPageProps) => {
  const base = `/app/${workspace.slug}/programs`
  return (
    <>
      <h1>{t(m.layout_programs)}</h1>
      {mayOpen(workspace, 'GET /programs/new') && (
        <ButtonLine href={`${base}/new`}>{t(m.programs_new_program)}</ButtonLine>
      )}
      {programs.data.length === 0 ? (
        <p class="empty">{t(m.programs_no_programs_yet)}</p>
      ) : (
        <Table
          caption={t(m.layout_programs)}
          head={[t(m.party_name), t(m.programs_reward), t(m.programs_applies_to), t(m.layout_site)]}
        >
          {programs.data.map((program) => (
            <tr>
              <LinkCell href={`${base}/${program.id}`}>{program.name}</LinkCell>
              <td>{describeReward(program.reward)}</td>
              <td>{describeInterval(program)}</td>
              <td>{new URL(program.siteUrl).host}</td>
            </tr>
          ))}
        </Table>
      )}
      <NextPage url={url} cursor={programs.nextCursor} />
    </>
  )
}

type NewProgramPageProps = { fields?: Fields; errors?: ErrorDetail[] }

export const NewProgramPage = ({ fields = {}, errors }: NewProgramPageProps) => (
  <>
    <h1>{t(m.programs_new_program)}</h1>
    <Problem errors={errors} labels={PROGRAM_LABELS} />
    <form method="post">
      <ProgramInputs fields={fields} errors={errors} />
      <button type="submit">{t(m.programs_create_program)}</button>
    </form>
  </>
)

const Facts = ({ program, now }: { program: Program; now: Date }) => (
  <dl class="facts">
    <Fact name={m.programs_site_url}>{program.siteUrl}</Fact>
    <Fact name={m.programs_reward}>{describeReward(program.reward)}</Fact>
    <Fact name={m.programs_applies_to}>{describeInterval(program)}</Fact>
    {program.tiers && <Fact name={m.tiers_title}>{tiersWords(program.tiers, pageStyle())}</Fact>}
    {program.bonuses.length > 0 && (
      <Fact name={m.bonuses_title}>{bonusesWords(program.bonuses, pageStyle())}</Fact>
    )}
    {program.monthlyBudget && (
      <Fact name={m.programs_budget}>
        {money(program.monthlyBudget.amountCents, program.monthlyBudget.currency)}
      </Fact>
    )}
    <Fact name={m.programs_holding_period}>
      {t(m.programs_days, { count: program.holdingDays })}
    </Fact>
    <Fact name={m.programs_net_terms}>
      {program.netDays === null
        ? t(m.layout_none)
        : t(m.programs_net_end_month, { netDays: program.netDays })}
    </Fact>
    <Fact name={m.programs_attribution_window}>
      {t(m.programs_days, { count: program.attributionDays })}
    </Fact>
    <Fact name={m.programs_attribution}>
      {t(m.programs_partner_click, { attribution: program.attribution })}
    </Fact>
    <Fact name={m.layout_payout_schedule}>{describeSchedule(program, now)}</Fact>
  </dl>
)

const Groups = ({ base, groups }: { base: string; groups: Group[] }) =>
  groups.length === 0 ? (
    <p>{t(m.programs_no_groups_yet)}</p>
  ) : (
    <Table
      caption={t(m.programs_groups)}
      head={[t(m.party_name), t(m.layout_sale_reward), t(m.layout_lead_reward)]}
    >
      {groups.map(({ id, name, saleReward, leadReward }) => (
        <tr>
          <LinkCell href={`${base}/groups/${id}`}>{name}</LinkCell>
          <td>{saleReward ? describeReward(saleReward) : t(m.layout_program_reward)}</td>
          <td>{leadReward ? describeReward(leadReward, 'lead') : t(m.layout_no_reward)}</td>
        </tr>
      ))}
    </Table>
  )

type FormProps = {
  base: string
  program: Program
  now: Date
  /** Unsaved terms, which the example uses instead of the saved ones. */
  entered?: ProgramTerms
  fields: Fields
  errors?: ErrorDetail[] | undefined
}

const ProgramForm = ({ base, program, now, entered, fields, errors }: FormProps) => {
  const action = `${base}/programs/${program.id}`
  const example = t(entered ? m.programs_as_entered : m.programs_as_saved, {
    example: saleExampleOf(entered ?? program, now, money),
  })
  return (
    <form method="post" action={action} id={TERMS_FORM}>
      <p class="hint">{t(m.programs_new_terms_apply)}</p>
      {program.payoutSchedule !== 'manual' && (
        <p class="hint">
          {t(m.programs_payout_schedule_is, { schedule: describeSchedule(program, now) })}
        </p>
      )}
      <ProgramInputs {...{ example, fields, errors }} />
      <SaveOrPreview action={action} label={t(m.programs_save_program)} />
    </form>
  )
}

/** What the changed terms would have earned, and the form that saves them. */
export const ProgramPreviewPage = ({
  whatIf,
  ...form
}: FormProps & { entered: ProgramTerms; whatIf: WhatIf }) => {
  const { base, program } = form
  return (
    <>
      <LinkLine href={`${base}/programs/${program.id}`}>{program.name}</LinkLine>
      <h1>{t(m.layout_preview)}</h1>
      <Preview {...{ base, whatIf }} label={t(m.programs_save_program)}>
        <p class="hint">{t(m.programs_sales_backend_reported)}</p>
      </Preview>
      <h2>{t(m.layout_settings)}</h2>
      <ProgramForm {...form} />
    </>
  )
}

type ProgramPageProps = {
  workspace: Workspace
  program: Program
  groups: Group[]
  brand: StoredBrand
  origin: string
  now: Date
  fields: Fields
  errors?: ErrorDetail[] | undefined
  /** The form of the branding, if it was rejected. */
  branding?: FormState | undefined
  done?: Message | undefined
}

/** One program: snippet, groups and settings. */
export const ProgramPage = ({
  workspace,
  program,
  groups,
  brand,
  origin,
  now,
  fields,
  errors,
  branding,
  done,
}: ProgramPageProps) => {
  const base = `/app/${workspace.slug}`
  const mayChange = mayOpen(workspace, 'POST /programs/:id')
  return (
    <>
      <h1>{program.name}</h1>
      <Done message={done} />
      <Problem
        errors={errors ?? branding?.errors}
        labels={{ ...PROGRAM_LABELS, ...BRAND_LABELS }}
      />
      <LinkLine href={`${base}/partners?programId=${program.id}`}>
        {t(m.layout_view_partners)}
      </LinkLine>
      {mayChange && (
        <LinkLine href={`${base}/programs/${program.id}/applications`}>
          {t(m.programs_page_people_apply)}
        </LinkLine>
      )}
      {mayChange && (
        <p>
          <a href={`${base}/programs/${program.id}/shadow`}>
            {program.mode === 'shadow'
              ? t(m.programs_shadow_run_another)
              : t(m.programs_run_beside_another)}
          </a>
        </p>
      )}
      <h2 id="snippet">{t(m.programs_snippet)}</h2>
      <p>{t(m.programs_add_every_page)}</p>
      <Copyable label={t(m.programs_the_snippet)} text={snippetTag(origin, program.id)} />
      <details>
        <summary>{t(m.programs_pin_a_version)}</summary>
        <p>{t(m.programs_version_never_changes)}</p>
        <Copyable
          label={t(m.programs_the_pinned_snippet)}
          text={snippetTag(origin, program.id, { pinned: true })}
        />
      </details>
      <LinkLine href={`${base}/programs/${program.id}/test`}>
        {t(m.programs_test_your_tracking)}
      </LinkLine>
      <h2>{t(m.programs_groups)}</h2>
      <p>{t(m.programs_use_group_give)}</p>
      <Groups base={base} groups={groups} />
      {mayChange && (
        <ButtonLine kind="quiet" href={`${base}/programs/${program.id}/groups/new`}>
          {t(m.layout_new_group)}
        </ButtonLine>
      )}
      <Branding {...{ base, program, brand, mayChange, refused: branding }} />
      <h2>{t(m.layout_settings)}</h2>
      {mayChange && <RulesLink path={`${base}/programs/${program.id}`} reward={program.reward} />}
      {mayChange && (
        <LinkLine href={`${base}/programs/${program.id}/tiers`}>
          {t(m.tiers_edit, { count: program.tiers?.levels.length ?? 0 })}
        </LinkLine>
      )}
      {mayChange && (
        <LinkLine href={`${base}/programs/${program.id}/bonuses`}>
          {t(m.bonuses_edit, { count: program.bonuses.length })}
        </LinkLine>
      )}
      {mayChange ? (
        <ProgramForm {...{ base, program, now, fields, errors }} />
      ) : (
        <Facts program={program} now={now} />
      )}
    </>
  )
}
