/** The page of another platform's rewards, each beside what it would be here. */
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import { PLATFORMS } from '../../../lib/imports/sources/platforms/platforms.ts'
import { REWARD_PLATFORMS } from '../../../lib/imports/sources/rewards/pasted-rewards.ts'
import type { ReadingReward } from '../../../lib/imports/sources/rewards/source-rewards.queries.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Submit } from '../../../lib/pages/forms/buttons.tsx'
import { type Option, Select, TextArea } from '../../../lib/pages/forms/fields.tsx'
import { describeReward } from '../../../lib/pages/forms/reward-words.ts'
import { Copyable, Fact, LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import type { Group } from '../../../lib/programs/groups.queries.ts'
import type { Program } from '../../../lib/programs/programs.queries.ts'
import { rewardTermsOf } from '../../../lib/rules/rewards/rewards.ts'

/** A program with its groups, which rewards are used for. */
type Target = { program: Program; groups: Group[] }

type Props = {
  base: string
  programs: Program[]
  targets: Target[]
  rewards: ReadingReward[]
  fields?: Fields
  errors?: ErrorDetail[] | undefined
}

export const RewardsPage = ({ base, programs, targets, rewards, fields = {}, errors }: Props) => (
  <>
    <LinkLine href={`${base}/import`}>{t(m.layout_import)}</LinkLine>
    <h1>{t(m.imports_rewards)}</h1>
    <p>{t(m.imports_rewards_intro)}</p>
    <Problem errors={errors} />
    {rewards.length === 0 && <p class="note">{t(m.imports_rewards_none)}</p>}
    {targets.map((target) => (
      <TargetPart
        {...{ base, target }}
        rewards={rewards.filter(({ programId }) => programId === target.program.id)}
      />
    ))}
    {programs.length > 0 && <PasteForm {...{ base, programs, fields, errors }} />}
  </>
)

const TargetPart = ({
  base,
  target,
  rewards,
}: {
  base: string
  target: Target
  rewards: ReadingReward[]
}) =>
  rewards.length === 0 ? null : (
    <section>
      <h2>{t(m.imports_rewards_for, { programName: target.program.name })}</h2>
      {rewards.map((one, i) => (
        <RewardPart {...{ base, target }} reward={one} id={`${target.program.id}-${i}`} />
      ))}
    </section>
  )

type PartProps = { base: string; target: Target; reward: ReadingReward; id: string }

const RewardPart = ({ base, target, reward: read, id }: PartProps) => {
  const platform = PLATFORMS[read.platform].name
  const terms = read.reward && rewardTermsOf(read.reward)
  return (
    <div class="card">
      <h3>{read.name}</h3>
      <dl class="facts">
        <Fact name={platform}>{groupsOf(read)}</Fact>
        <Fact name={m.imports_reward_here}>
          {terms ? describeReward(terms, read.event ?? 'sale') : t(m.imports_reward_nothing)}
        </Fact>
        {terms && read.event === 'sale' && (
          <Fact name={m.imports_reward_duration}>{durationOf(read)}</Fact>
        )}
      </dl>
      {read.differences.length > 0 && (
        <>
          <p>{t(m.imports_reward_differences)}</p>
          <ul>
            {read.differences.map((sentence) => (
              <li>{sentence}</li>
            ))}
          </ul>
        </>
      )}
      {terms && <UseForm {...{ base, target, id }} reward={read} />}
      {terms && (
        <details>
          <summary>{t(m.imports_reward_json)}</summary>
          <Copyable label="JSON" text={JSON.stringify(changeOf(read), null, 2)} />
        </details>
      )}
      <details>
        <summary>{t(m.imports_reward_original, { platform })}</summary>
        <pre tabindex={0}>
          <code>{read.original}</code>
        </pre>
      </details>
    </div>
  )
}

const groupsOf = ({ group, groups }: ReadingReward): string => {
  if (groups.length === 0)
    return group ? t(m.imports_reward_group, { group }) : t(m.imports_reward_no_partners)
  return groups
    .map(({ name, partners }) =>
      t(m.imports_reward_partners, { group: name ?? t(m.partners_no_group), partners }),
    )
    .join(', ')
}

const durationOf = ({ rewardInterval, rewardDurationMonths: months }: ReadingReward): string => {
  if (rewardInterval === 'one-time') return t(m.programs_one_time)
  return months === null
    ? t(m.imports_reward_endless)
    : t(m.imports_reward_months, { months: String(months) })
}

/** The change of a program, or of a group for leads, as PATCH takes it. */
const changeOf = ({ event, reward, rewardInterval, rewardDurationMonths }: ReadingReward) =>
  event === 'lead' ? { leadReward: reward } : { reward, rewardInterval, rewardDurationMonths }

/** Uses the reward for the program, or for one of its groups. Programs have none for leads. */
const UseForm = ({ base, target: { program, groups }, reward: read, id }: PartProps) => {
  const isLead = read.event === 'lead'
  const options: Option[] = [
    ...(isLead
      ? []
      : [
          {
            value: `program/${program.id}`,
            label: t(m.imports_reward_for_program, {
              programName: program.name,
              reward: describeReward(program.reward),
            }),
          },
        ]),
    ...groups.map(({ id: groupId, name, saleReward, leadReward }) => ({
      value: `group/${groupId}`,
      label: t(m.imports_reward_for_group, {
        name,
        reward: currentOf(isLead ? leadReward : saleReward, isLead),
      }),
    })),
  ]
  if (options.length === 0) return <p class="note">{t(m.imports_reward_needs_group)}</p>
  return (
    <form method="post" action={`${base}/import/rewards/use`}>
      <input type="hidden" name="event" value={read.event ?? ''} />
      <input type="hidden" name="reward" value={JSON.stringify(read.reward)} />
      <input type="hidden" name="rewardInterval" value={read.rewardInterval ?? ''} />
      <input
        type="hidden"
        name="rewardDurationMonths"
        value={String(read.rewardDurationMonths ?? '')}
      />
      <Select
        label={t(m.imports_reward_use_for)}
        name="target"
        id={`target-${id}`}
        hint={isLead ? undefined : t(m.imports_reward_group_duration)}
        options={options}
      />
      <Submit>{t(m.imports_reward_use)}</Submit>
    </form>
  )
}

const currentOf = (terms: Group['saleReward'], isLead: boolean): string => {
  if (terms) return describeReward(terms, isLead ? 'lead' : 'sale')
  return t(isLead ? m.layout_no_reward : m.layout_program_reward)
}

const PasteForm = ({
  base,
  programs,
  fields,
  errors,
}: Required<Pick<Props, 'base' | 'programs' | 'fields'>> & Pick<Props, 'errors'>) => (
  <section>
    <h2>{t(m.imports_rewards_paste)}</h2>
    <form method="post" action={`${base}/import/rewards`}>
      <Select
        label={t(m.program)}
        name="programId"
        options={programs.map(({ id, name }) => ({ value: id, label: name }))}
        value={fields.programId}
        errors={errors}
      />
      <Select
        label={t(m.imports_platform)}
        name="platform"
        options={Object.entries(REWARD_PLATFORMS).map(([id, request]) => ({
          value: id,
          label: `${PLATFORMS[id as keyof typeof REWARD_PLATFORMS].name}: ${request}`,
        }))}
        value={fields.platform}
        errors={errors}
      />
      <TextArea
        label={t(m.imports_rewards_text)}
        name="text"
        hint={t(m.imports_rewards_text_hint)}
        required
        spellcheck="false"
        value={fields.text}
        errors={errors}
      />
      <Submit>{t(m.imports_rewards_show)}</Submit>
    </form>
  </section>
)
