//! What hand-written pages show must work: their rule files parse, and their links lead somewhere.

use xtask::repo::Repo;

#[test]
fn policy_page_examples_parse_as_rules() {
    let repo = Repo::here().expect("the repository can be read");
    let page = repo.text("docs/policy.md").expect("the page is there");
    let blocks: Vec<&str> =
        page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!blocks.is_empty(), "the page shows no rules");
    for block in blocks {
        let rules = truehand_policy::Rules::parse(block);
        assert!(rules.as_ref().is_ok_and(|rules| !rules.rules.is_empty()), "{rules:?}\n{block}");
    }
}

#[test]
fn pages_link_only_to_files_that_exist() {
    let repo = Repo::here().expect("the repository can be read");
    let mut broken = Vec::new();
    for page in repo.with_extension("md") {
        let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let targets = page.text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|t| !t.contains("://") && !t.starts_with('#')) {
            let file = target.split('#').next().unwrap_or(target);
            if !repo.root.join(folder).join(file).exists() {
                broken.push(format!("{}: {target}", page.path));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
