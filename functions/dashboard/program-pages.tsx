import type { ErrorDetail } from '../../lib/http/errors.ts'
import type { Listed } from '../../lib/http/lists.ts'
import type { Fields } from '../../lib/http/validate.ts'
import { Copyable, Done, NextPage, Problem, Table } from '../../lib/pages/parts.tsx'
import {
  intervalWords,
  PROGRAM_LABELS,
  ProgramInputs,
  scheduleWords,
} from '../../lib/pages/program-fields.tsx'
import { rewardWords } from '../../lib/pages/reward-fields.tsx'
import type { Group } from '../../lib/workspace/groups.queries.ts'
import type { Program } from '../../lib/workspace/programs.queries.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'

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
          There is no program yet. A program says what partners earn from your sales, and for how long.
        </p>
      ) : (
        <Table caption="Programs" head={['Name', 'Partners earn', 'For', 'Site']}>
          {programs.data.map((program) => (
            <tr>
              <td>
                <a href={`${base}/${program.id}`}>{program.name}</a>
              </td>
              <td>{rewardWords(program.reward)}</td>
              <td>{intervalWords(program)}</td>
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
      <button type="submit">Create the program</button>
    </form>
  </>
)

const Facts = ({ program, now }: { program: Program; now: Date }) => (
  <dl class="facts">
    <dt>Site</dt>
    <dd>{program.siteUrl}</dd>
    <dt>Partners earn</dt>
    <dd>{rewardWords(program.reward)}</dd>
    <dt>For</dt>
    <dd>{intervalWords(program)}</dd>
    <dt>Payable after</dt>
    <dd>{program.holdingDays} days</dd>
    <dt>A click counts for</dt>
    <dd>{program.attributionDays} days</dd>
    <dt>Credited</dt>
    <dd>The partner of the {program.attribution} click</dd>
    <dt>Partners are paid</dt>
    <dd>{scheduleWords(program, now)}</dd>
  </dl>
)

const Groups = ({ base, groups }: { base: string; groups: Group[] }) =>
  groups.length === 0 ? (
    <p>None: every partner earns what the program says.</p>
  ) : (
    <Table caption="Groups" head={['Name', 'For a sale', 'For a lead']}>
      {groups.map(({ id, name, saleReward, leadReward }) => (
        <tr>
          <td>
            <a href={`${base}/groups/${id}`}>{name}</a>
          </td>
          <td>{saleReward ? rewardWords(saleReward) : 'As the program'}</td>
          <td>{leadReward ? rewardWords(leadReward, 'lead') : 'Nothing'}</td>
        </tr>
      ))}
    </Table>
  )

/** One program: its snippet, its groups, and its settings, which managers can change. */
export const ProgramPage = ({
  workspace,
  program,
  groups,
  origin,
  now,
  fields,
  errors,
  done,
}: {
  workspace: Workspace
  program: Program
  groups: Group[]
  origin: string
  now: Date
  fields: Fields
  errors?: ErrorDetail[]
  done?: string | undefined
}) => {
  const base = `/app/${workspace.slug}`
  const isManager = workspace.role === 'manager'
  return (
    <>
      <h1>{program.name}</h1>
      <Done message={done} />
      <Problem errors={errors} labels={PROGRAM_LABELS} />
      <p>
        <a href={`${base}/partners?programId=${program.id}`}>Its partners</a>
      </p>
      <h2 id="snippet">Snippet</h2>
      <p>Put this on every page of your site. It notices visitors who come through a partner’s link.</p>
      <Copyable
        label="the snippet"
        text={`<script defer src="${origin}/via.js" data-program="${program.id}"></script>`}
      />
      <h2>Groups</h2>
      <p>Partners of a group have rewards of their own.</p>
      <Groups base={base} groups={groups} />
      {isManager && (
        <p>
          <a class="button quiet" href={`${base}/programs/${program.id}/groups/new`}>
            New group
          </a>
        </p>
      )}
      <h2>Settings</h2>
      {isManager ? (
        <form method="post">
          <p class="hint">A new reward is for sales from now on.</p>
          {program.payoutSchedule !== 'manual' && (
            <p class="hint">Partners are paid: {scheduleWords(program, now)}.</p>
          )}
          <ProgramInputs fields={fields} errors={errors} />
          <button type="submit">Save</button>
        </form>
      ) : (
        <Facts program={program} now={now} />
      )}
    </>
  )
}
