import type { StoredBrand } from '../../lib/brand/brands.queries.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import type { Listed } from '../../lib/http/lists.ts'
import type { Fields } from '../../lib/http/validate.ts'
import type { FormState } from '../../lib/pages/fields.tsx'
import { money } from '../../lib/pages/money.tsx'
import { Copyable, Done, NextPage, Problem, Table } from '../../lib/pages/parts.tsx'
import { describeInterval, PROGRAM_LABELS, ProgramInputs } from '../../lib/pages/program-fields.tsx'
import { saleExampleOf } from '../../lib/pages/reward-example.ts'
import { describeReward } from '../../lib/pages/reward-fields.tsx'
import { describeSchedule } from '../../lib/pages/schedule-fields.tsx'
import { snippetTag } from '../../lib/tracking/snippet-version.ts'
import type { WhatIf } from '../../lib/tracking/what-if.service.ts'
import type { Group } from '../../lib/workspace/groups.queries.ts'
import type { Program } from '../../lib/workspace/programs.queries.ts'
import type { ProgramTerms } from '../../lib/workspace/programs.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'
import { BRAND_LABELS, Branding } from './branding.tsx'
import { Preview, SaveOrPreview, TERMS_FORM } from './what-if.tsx'

/** The list of programs. */
export const ProgramsPage = ({
  workspace,
  programs,
  url,
}: {
  workspace: Workspace
  programs: Listed<Program>
  url: string
}) => {
  const base = `/app/${workspace.slug}/programs`
  return (
    <>
      <h1>Programs</h1>
      {workspace.role === 'manager' && (
        <p>
          <a class="button" href={`${base}/new`}>
            New program
          </a>
        </p>
      )}
      {programs.data.length === 0 ? (
        <p class="empty">
          No programs yet. A program defines what partners earn from your sales, and for how long.
        </p>
      ) : (
        <Table caption="Programs" head={['Name', 'Reward', 'Applies to', 'Site']}>
          {programs.data.map((program) => (
            <tr>
              <td>
                <a href={`${base}/${program.id}`}>{program.name}</a>
              </td>
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

/** The form for a new program. */
export const NewProgramPage = ({ fields = {}, errors }: { fields?: Fields; errors?: ErrorDetail[] }) => (
  <>
    <h1>New program</h1>
    <Problem errors={errors} labels={PROGRAM_LABELS} />
    <form method="post">
      <ProgramInputs fields={fields} errors={errors} />
      <button type="submit">Create program</button>
    </form>
  </>
)

const Facts = ({ program, now }: { program: Program; now: Date }) => (
  <dl class="facts">
    <dt>Site URL</dt>
    <dd>{program.siteUrl}</dd>
    <dt>Reward</dt>
    <dd>{describeReward(program.reward)}</dd>
    <dt>Applies to</dt>
    <dd>{describeInterval(program)}</dd>
    <dt>Holding period</dt>
    <dd>{program.holdingDays} days</dd>
    <dt>Net terms</dt>
    <dd>{program.netDays === null ? 'None' : `Net ${program.netDays}, from the end of the month`}</dd>
    <dt>Attribution window</dt>
    <dd>{program.attributionDays} days</dd>
    <dt>Attribution</dt> <dd>Partner of the {program.attribution} click</dd>
    <dt>Payout schedule</dt>
    <dd>{describeSchedule(program, now)}</dd>
  </dl>
)

const Groups = ({ base, groups }: { base: string; groups: Group[] }) =>
  groups.length === 0 ? (
    <p>No groups yet. All partners earn the program’s reward.</p>
  ) : (
    <Table caption="Groups" head={['Name', 'Sale reward', 'Lead reward']}>
      {groups.map(({ id, name, saleReward, leadReward }) => (
        <tr>
          <td>
            <a href={`${base}/groups/${id}`}>{name}</a>
          </td>
          <td>{saleReward ? describeReward(saleReward) : 'Program reward'}</td>
          <td>{leadReward ? describeReward(leadReward, 'lead') : 'No reward'}</td>
        </tr>
      ))}
    </Table>
  )

const SAVE = 'Save program'

type FormProps = {
  base: string
  program: Program
  now: Date
  /** The terms that the example works out, if the form shows others than the saved ones. */
  entered?: ProgramTerms
  fields: Fields
  errors?: ErrorDetail[] | undefined
}

const ProgramForm = ({ base, program, now, entered, fields, errors }: FormProps) => {
  const action = `${base}/programs/${program.id}`
  const example = `${entered ? 'As entered' : 'As saved'}: ${saleExampleOf(entered ?? program, now, money)}`
  return (
    <form method="post" action={action} id={TERMS_FORM}>
      <p class="hint">New terms apply to sales paid from now on.</p>
      {program.payoutSchedule !== 'manual' && (
        <p class="hint">Payout schedule: {describeSchedule(program, now)}.</p>
      )}
      <ProgramInputs {...{ example, fields, errors }} />
      <SaveOrPreview action={action} label={SAVE} />
    </form>
  )
}

/** What changed terms of a program would have earned, and the form that saves them. */
export const ProgramPreviewPage = ({
  whatIf,
  ...form
}: FormProps & { entered: ProgramTerms; whatIf: WhatIf }) => {
  const { base, program } = form
  return (
    <>
      <p>
        <a href={`${base}/programs/${program.id}`}>{program.name}</a>
      </p>
      <h1>Preview</h1>
      <Preview {...{ base, whatIf }} label={SAVE}>
        <p class="hint">
          Sales that your backend reported count with the amounts and the partners’ codes that were recorded,
          so “Reward shipping” and “Credit invoices paid outside Stripe” show the difference of Stripe’s sales
          only, and “Trust partners named in reports” shows none. A purchase of which nothing counted was not
          recorded.
        </p>
      </Preview>
      <h2>Settings</h2>
      <ProgramForm {...form} />
    </>
  )
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
}: {
  workspace: Workspace
  program: Program
  groups: Group[]
  brand: StoredBrand
  origin: string
  now: Date
  fields: Fields
  errors?: ErrorDetail[] | undefined
  /** The form of the branding, if it was refused. */
  branding?: FormState | undefined
  done?: string | undefined
}) => {
  const base = `/app/${workspace.slug}`
  const isManager = workspace.role === 'manager'
  return (
    <>
      <h1>{program.name}</h1>
      <Done message={done} />
      <Problem errors={errors ?? branding?.errors} labels={{ ...PROGRAM_LABELS, ...BRAND_LABELS }} />
      <p>
        <a href={`${base}/partners?programId=${program.id}`}>View partners</a>
      </p>
      {isManager && (
        <p>
          <a href={`${base}/programs/${program.id}/applications`}>Page on which people apply</a>
        </p>
      )}
      {isManager && (
        <p>
          <a href={`${base}/programs/${program.id}/shadow`}>
            {program.mode === 'shadow' ? 'Shadow run: another platform pays' : 'Run beside another platform'}
          </a>
        </p>
      )}
      <h2 id="snippet">Snippet</h2>
      <p>Add this to every page of your site. It records visits through partners’ links.</p>
      <Copyable label="the snippet" text={snippetTag(origin, program.id)} />
      <details>
        <summary>Pin a version</summary>
        <p>
          This version never changes, and browsers check it by its hash. Replace the tag to get a newer
          version.
        </p>
        <Copyable label="the pinned snippet" text={snippetTag(origin, program.id, { pinned: true })} />
      </details>
      <p>
        <a href={`${base}/programs/${program.id}/test`}>Test your tracking</a>
      </p>
      <h2>Groups</h2>
      <p>Use a group to give some partners different rewards.</p>
      <Groups base={base} groups={groups} />
      {isManager && (
        <p>
          <a class="button quiet" href={`${base}/programs/${program.id}/groups/new`}>
            New group
          </a>
        </p>
      )}
      <Branding {...{ base, program, brand, isManager, refused: branding }} />
      <h2>Settings</h2>
      {isManager ? (
        <ProgramForm {...{ base, program, now, fields, errors }} />
      ) : (
        <Facts program={program} now={now} />
      )}
    </>
  )
}
