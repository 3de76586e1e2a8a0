// The text panel: Markdown or HTML, with variables filled in.
import { renderMarkdown, textUtil } from "@grafana/data";

export function TextPanel({ options, replaceVariables }) {
  const content = replaceVariables(options.content ?? "", {}, options.mode === "html" ? "html" : undefined);
  if (options.mode === "code") {
    return <pre>{content}</pre>;
  }
  const html = options.mode === "html" ? textUtil.sanitizeTextPanelContent(content) : renderMarkdown(content);
  return (
    <div
      className="markdown-html"
      style={{ height: "100%", overflow: "auto" }}
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}
