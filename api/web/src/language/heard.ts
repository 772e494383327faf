import { codes } from "./codes.zh";
import { language } from "./language";

type Rule = [heard: RegExp, said: string | ((whole: string, ...parts: string[]) => string)];

/** How many batches the model failed at, why, and the settings that the service says to look at. */
function failed(_whole: string, some = "", all = "", code = "", detail = ""): string {
  const settings = [...new Set(detail.match(/IMPRESSIONS_\w+/g) ?? [])];
  const hint = settings.length > 0 ? `，请检查 ${settings.join("、")}` : "";
  return `${all} 批中有 ${some} 批失败：模型${codes.failures[code] ?? code}${hint}。`;
}

/** Sentences that the service says without a code, in Chinese; `$1` and so on are what they hold. */
const CHINESE: Rule[] = [
  [/^deprecated$/, "已弃用"],
  [/^a person's edit$/, "手工编辑"],
  [/^observed as another name$/, "观察到的另一个名字"],
  [/^its names become aliases of the other$/, "它的名字成为对方的别名"],
  [/^to itself$/, "指向自己"],
  [/^the old name stays as an alias$/, "旧名字留作别名"],
  [/^the old name goes$/, "旧名字不再保留"],
  [/^rejected by a person$/, "被人拒绝"],
  [/^decided by run (.+)$/, "由更新 $1 决定"],
  [/^internal error \((\w+)\): nothing was written; the log tells more under the id of this run$/, "内部错误（$1）：什么也没有写入；日志里按本次更新的编号有更多说明"],
  [/^(\d+) observations wait for a decision: (\d+) of them were not tried again$/, "有 $1 个观察等待决定，其中 $2 个没有再试"],
  [/^run (\S+) was taken back$/, "更新 $1 已撤销"],
  [/^an entity was forgotten; this cannot be undone$/, "遗忘了一个实体，无法撤销"],
  [/^forgotten: (\d+) statements, (\d+) relations, (\d+) actives, (\d+) evidence, (\d+) runs, (\d+) observations$/, "已遗忘：$1 条陈述、$2 条关系、$3 个活跃实体、$4 条依据、$5 次更新和 $6 个观察里的文字"],
  [/^still mentions it: (\d+) more statements of others$/, "另有 $1 条别人的陈述提到它"],
  [/^still mentions it: (\d+) more pieces of evidence$/, "另有 $1 条依据提到它"],
  [/^still mentions it: evidence: (.+)$/s, "仍有依据提到它：$1"],
  [/^still mentions it: (.+)$/s, "仍然提到它：$1"],
  [/^the memory changed (\d+) times while the plan was being applied: send it again$/, "应用计划期间记忆变了 $1 次：请重新发送"],
  [/^(\d+) of (\d+) batches failed: ([A-Z_]+): (.*)$/s, failed],
  [/^(\S+): (\d+) characters, (\d+) are the most; [^:]*: (.*)$/s, "模型回答的 $1 有 $2 个字符，最多 $3 个：$4"],
  [/^(\S+): (\d+) items, (\d+) are the most; left out: (.*)$/s, "模型回答的 $1 有 $2 项，最多 $3 项，略去：$4"],
  [/^the memory was changed since: undo the later changes first$/, "此后记忆又有改动：请先撤销后来的改动"],
  [/^['"](.+)['"] was changed since$/, "“$1”此后又有改动"],
  [/^['"](.+)['"] is gone$/, "“$1”已不在"],
  [/^['"](.+)['"] has got the name ['"](.+)['"] since$/, "“$1”此后得到了名字“$2”"],
  [/^what it changed is of an entity that was forgotten since: that cannot be undone$/, "它改动过的实体此后被遗忘：无法撤销"],
  [/^run \S+ is being worked on$/, "这次更新正在进行"],
  [/^run \S+ is ([A-Z_]+).*$/, "这次更新的状态已是 $1"],
  [/^observation \S+ was decided already: .*$/, "这个观察已经有了决定"],
  [/^(\d+) of its pending observations were decided elsewhere meanwhile$/, "其中 $1 个观察已在别处决定"],
  [/^['"](.+)['"] names nobody, so nobody can be created under it: choose an entity$/, "“$1”不是谁的名字，不能以它新建：请选一个实体"],
  [/^nothing was opened: (.+) may be any of several$/, "没有新开：$1 可能是好几个实体"],
  [/^it says too little to be about anything: nothing was opened$/, "这句话的内容太少，没有新开活跃实体"],
  [/^it is about nobody known: an active entity was opened$/, "它谈的不是已知的实体：新开了一个活跃实体"],
  [/^it is about nobody known and joins what said nearly the same$/, "它谈的不是已知的实体，并入了说法相近的活跃实体"],
  [/^it is about (\d+) known or named$/, "它谈到 $1 个已知或点名的实体"],
  [/^active entity \S+ has more than (\d+) pieces of unrolled evidence: a rolling is due$/, "有活跃实体积累了 $1 条以上未总结的依据：该做总结了"],
  [/^(\d+) weaker match(?:es are| is) not shown$/, "另有 $1 个更弱的匹配没有显示"],
  [/^(\d+) further matches reach the threshold but were not attached: there are too many stronger ones$/, "另有 $1 个匹配达到门槛但没有关联：更强的已经够多"],
  [/^entity \S+ has (\d+) relations, the (\d+) strongest were looked at$/, "有实体共有 $1 条关系，只看了最强的 $2 条"],
  [/^the conversation has (\d+) active entities or more: the latest were looked at$/, "会话有 $1 个或更多活跃实体：只看了最近的"],
  [/^the text is long: its (\d+) shortest word sequences were looked up as names, (\d+) longer ones were not$/, "文字很长：最短的 $1 个词串按名字查过，更长的 $2 个没有查"],
  [/^the text is long: (\d+) of its (\d+) different words were searched for$/, "文字很长：$2 个不同的词里查了 $1 个"],
];

/** What the service said, in the reader's language; as it was said where the page has no words for it. */
export function heard(told: string): string {
  if (language.value === "en") return told;
  return told
    .split(/; (?=the old name|to itself|decided by)/)
    .map((part) => {
      const rule = CHINESE.find(([pattern]) => pattern.test(part));
      if (!rule) return part;
      const [pattern, said] = rule;
      return typeof said === "string" ? part.replace(pattern, said) : part.replace(pattern, said);
    })
    .join("；");
}
