//! `doctor`: one page that says what the machine has, and nothing that names a person.

use hdp_gpu::device::choice::GPU_SUPPORT;
use predicates::str::is_empty;

use super::{Folder, hdp_gpu};

/// What the page says under `head`, the lines below it that have no head of their own included.
fn said(page: &str, head: &str) -> Vec<String> {
    let mut lines = page.lines().skip_while(|line| line.split(' ').next() != Some(head)).peekable();
    assert!(lines.peek().is_some(), "{head} is not on the page:\n{page}");
    let first = lines.next().map(|line| line[head.len()..].trim().to_owned());
    first
        .into_iter()
        .chain(lines.take_while(|line| line.starts_with(' ')).map(|line| line.trim().to_owned()))
        .collect()
}

#[test]
fn one_page_says_what_there_is() {
    let folder = Folder::new();
    let mut command = hdp_gpu();
    command.arg("doctor").current_dir(folder.0.path()).env("NO_COLOR", "1").env_remove("WGPU_ADAPTER_NAME");
    let page = command.assert().success().stderr(is_empty()).get_output().stdout.clone();
    let page = String::from_utf8(page).expect("UTF-8");
    assert!(page.lines().count() <= 25, "{page}");

    let [program] = &said(&page, "program")[..] else { panic!("{page}") };
    let built = if GPU_SUPPORT { "features cli gpu" } else { "features cli" };
    assert!(
        program.starts_with(concat!("hdp-gpu ", env!("CARGO_PKG_VERSION"), " for "))
            && program.contains(built)
    );
    for head in ["system", "processor", "memory", "auto"] {
        assert!(said(&page, head)[0].len() > 3, "{head}: {page}");
    }
    let devices = hdp_gpu().arg("devices").assert().success().get_output().stdout.clone();
    let devices = String::from_utf8(devices).expect("UTF-8");
    for line in devices.lines() {
        assert!(page.contains(line.trim_start_matches("auto ")), "{line}: {page}");
    }
    let [here, temporary] = &said(&page, "folders")[..] else { panic!("{page}") };
    assert!(here.starts_with("this folder: writable, ") && temporary.contains(": writable, "), "{page}");
    assert_eq!(said(&page, "terminal"), ["standard output: no terminal", "standard error: no terminal"]);
    let [set, unset] = &said(&page, "variables")[..] else { panic!("{page}") };
    assert!(
        set.starts_with("set: ") && set.contains("NO_COLOR") && unset.contains("WGPU_ADAPTER_NAME"),
        "{page}"
    );
}

#[test]
fn the_page_names_nobody() {
    let folder = Folder::new();
    let private = folder.path("a-private-name");
    std::fs::create_dir(&private).expect("a folder for the test");
    let mut command = hdp_gpu();
    command.arg("doctor").current_dir(&private);
    for variable in ["USER", "HOSTNAME", "COMPUTERNAME", "TMPDIR", "TEMP", "TMP", "LANG", "VK_DRIVER_FILES"] {
        command.env(variable, &private);
    }
    let page = command.assert().success().get_output().stdout.clone();
    assert!(!String::from_utf8_lossy(&page).contains("a-private-name"));
}

/// A folder that is not there stands for one that cannot be written to, which root can.
#[test]
fn a_folder_that_cannot_be_written_to_is_told() {
    let folder = Folder::new();
    let mut command = hdp_gpu();
    for variable in ["TMPDIR", "TEMP", "TMP"] {
        command.env(variable, folder.path("none"));
    }
    let page = command.arg("doctor").assert().success().get_output().stdout.clone();
    let page = String::from_utf8(page).expect("UTF-8");
    assert!(page.contains("the folder for temporary files: NOT writable (entity not found)"), "{page}");
}
